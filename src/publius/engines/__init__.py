"""Where the work runs; engines know parts and stores, nothing that is protected."""
