"""Build the calibrations that ship with the package, from the shipped embedding alone.

    python scripts/build_calibrations.py [EPSILON ...]

Every file can be checked by ``publius certify``, which computes the certificate anew.
"""

import sys

from publius.embeddings.catalogue import load_embedding
from publius.mechanisms import prepared
from publius.mechanisms.balance import Workshop, calibrate

EPSILONS = (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 10.0)


def main() -> None:
    space = load_embedding("glove-50k").space()
    workshop = Workshop.of(space)
    for epsilon in [float(arg) for arg in sys.argv[1:]] or EPSILONS:
        name = prepared.file_name(space.id, epsilon, balanced=True)
        found = calibrate(workshop, epsilon, progress=print)
        prepared.save(prepared.SHIPPED, name, found)
        print(name, found[1])


if __name__ == "__main__":
    main()
