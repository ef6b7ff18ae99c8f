"""Build the calibrations that ship with the package, from its own embeddings alone.

    python scripts/build_calibrations.py [hop | like | hyperbolic] [EPSILON ...]

Run ``python scripts/build_digests.py`` afterwards. Every file can be checked by
``publius certify``, which computes the certificate anew.
"""

import sys

from publius.core.folded_space import space_of_law
from publius.embeddings.catalogue import load_embedding
from publius.mechanisms import prepared
from publius.mechanisms.balance import Calibrator, calibrate
from publius.mechanisms.words import general
from publius.storage.atomic import write_bytes

EPSILONS = {
    "hop": (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 10.0),
    "like": (1.0, 1.5, 2.0, 2.5, 2.75, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 8.0),
    "hyperbolic": (0.5, 1.0, 2.0, 4.0, 8.0),
}
EMBEDDINGS = {
    "hop": "glove-50k",
    "like": "glove-50k",
    "hyperbolic": "wordnet-poincare",
}


def main() -> None:
    names = [arg for arg in sys.argv[1:] if arg in EPSILONS] or list(EPSILONS)
    asked = [float(arg) for arg in sys.argv[1:] if arg not in EPSILONS]
    for name in names:
        embedding = load_embedding(EMBEDDINGS[name])
        space = space_of_law(embedding.space(name))
        calibrator = Calibrator.of(space)
        for epsilon in asked or EPSILONS[name]:
            file = prepared.file_name(space.id, epsilon, balanced=True)
            calibration = calibrate(calibrator, epsilon, progress=print)
            write_bytes(prepared.SHIPPED / file, prepared.pack(calibration))
            print(file, calibration[1], flush=True)
            if name == "hyperbolic":
                calibration = general.calibration(embedding, epsilon)
                file = general.file_of(space.id, epsilon)
                write_bytes(prepared.SHIPPED / file, prepared.pack(calibration))
                print(file, calibration[1], flush=True)


if __name__ == "__main__":
    main()
