"""Where the work runs: in this process, in several, later on several machines."""
