"""The command line, as python -m publius."""

from publius.cli import main

if __name__ == "__main__":
    main()
