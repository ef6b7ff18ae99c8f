"""What a release says about itself, to people and to machines."""
