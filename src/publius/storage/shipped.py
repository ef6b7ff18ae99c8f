"""Files that come with the package, and the digest that each of them must have.

``python scripts/build_digests.py`` writes the table anew after a file was rebuilt.
"""

import hashlib
from pathlib import Path

from publius.core.errors import DataError

DIGESTS = frozenset(
    {
        "02ef942cbacf51569d926a10e99e950dfed766cf67a417d7c7b7b774d4428b31",
        "0c949b12c20ecaf5605c46d652723173750c56d385b04567555ffb527e58328c",
        "15571a8811511213c54188080e60851d508efa4e260089809d07a591baee807d",
        "1697809cb0c0c48a30c454f22ca44dd1752fa95db9468415976882cb1ccffe29",
        "174fa8b30373c712be138e12d3d7ded172dd5e20d152080b27540f3be8389b59",
        "1b70c191c2da94fe6fbd09116563c754ab49b5c556ff6170836a315faf40b71b",
        "1d776c315581059b664ad6258d8778bc3160f5323df4709f9f837e1fb0fe0187",
        "28891f7d0ba96b7becfc96e06f4d41fa3d20e0b868cfcdf9cbed478a1a1c2d15",
        "2e45267d0bb9de6adc73a2a3f6fc1e8298c9a1ceb4a8d567c4e1a1baacda6fe1",
        "346a47ac8114a711345c4d7fc5af269ed16a265909324d2e4560c691a9263376",
        "35d78617beadc382c08fe9f6cb667e5b437174063ce1c4728bbd5a87ced300e7",
        "40d84702ddb0497b3f791f7a2b2b52d7d90585353d306b9e0d0fad7515bf6ea5",
        "44d06052a872cfb97dece3b99cf16158cc6068fb8cd2a2fe45f5142a231253d5",
        "4802c33a7529bbf59bf194e0270bde936ed507af75ff0fa5f4b67b5fc881bb8b",
        "604c4de941bed09c2b391d7565700083d8bbbc55b15a30c5d180e4cb41123efa",
        "61ccb92f212b281e7ac9a712f309a730ed443f6f1a74fd21e37adef2a8e8d9e1",
        "6580242688135e5a39b37ccdb7d96be1bec30113b0b2d0a05464ed126e64456c",
        "6a3d59d77208aa91a0cc5f9af174dd894ef0abd2421f71d8d74b57a557d626a1",
        "71ae771a1020ddf24afbecc5f46d1ccdbcde695b421f74a5c384676c48a99d3d",
        "72493791450f991a84c6fd47367a7fcceee128bdd51bb43241b6536cc656aa74",
        "759e7de1669f06281a6e4e1384385b96c55cca59e86c159324b3349230357ff1",
        "79f1d86b8549abee7ac2b8859fb9009eb2ae262346a8e8ed4372a3a4e9a0608b",
        "7c04decb0244dd540a7fa971aa0b2916b4813dc9cac036437c298bac98f4b91c",
        "8288e639e9b87af86ad87bc88f4c33c2f19c1f7be7b1dfa4f4f5bc854f735d82",
        "863f6b9124a1525be97cd8880d4a56b91b817e16d55b9aa5e6162c309628e90c",
        "9b55f95e4bf39d654aaf199bbd9a9a2e5d82045012dc565e12365d2466c33073",
        "a668479987d65618b30368ac7e2cfba564cd91aeb9f2fc0e5886f08ce4a94e51",
        "ac0334ceba3277479d5c05114b689334176fcf0a19ee7f00d7c7708648a11cf3",
        "b36337eb840e4f1f5f9f417f31a8528f17054adcdf72c45226102fbd156d65b4",
        "b4671192ab509071b50e462b53e2f3083b829f8de7b9feb6d453aed513c38c89",
        "ba55134e54ad49488a9fb18dc53243a2fb0db1daf499497695c95ba22389d386",
        "bb51525f138c71d652151b2c753c35302f12bf5037be4bc835c607b41ba93cfa",
        "c40be05c9f802ef9c0f84552389f5a9eb87eb6166947a567cb48969321371e32",
        "c62dcb8a395b8f072fba0ff11b08c132c83a8dab50bb6b145825acdd7ccef12a",
        "cf0a9d346aab949b43041aa5d75892407c06465eebb9f48b45ffc4ba7e3e01fc",
        "d189709e70e8aed9b9816a1035821e5ae213a41676172582ddc6ef0f09c87fe0",
        "da664caaeab69a0fd8b72f390dd007503213244c513a3d6c024695a545cbab7f",
        "e50b915941a9c5285df084f7e68a40ba0cc2bad50cad6cbf000a61e4ad26ecba",
        "e78abe771492a066b6a1b493fbe114e8be89625a90a3a0354b1fe8c2bffc5004",
        "eb6fc894ca101f1668a5df4824a1dd8115437fbfcfedcf5ca66225de1d3baa3d",
        "f8cc6b5c368009f249799e09e089e8a28d029343690962f13745480abfce7545",
    }
)
"""SHA-256 of name and content of each file, so that none can stand for another."""


def shipped_bytes(path: Path) -> bytes:
    """Return the bytes of a file of the package.

    Raises:
        DataError: It is not the file that this version was made with.
    """
    try:
        content = path.read_bytes()
    except OSError:
        raise DataError(f"{path.name} is missing; install Publius again") from None
    if digest(path.name, content) not in DIGESTS:
        raise DataError(
            f"{path.name} is not the file that this version of Publius was made with; "
            "install Publius again"
        )
    return content


def digest(name: str, content: bytes) -> str:
    """Return the digest of a file of the package."""
    return hashlib.sha256(name.encode() + b"\0" + content).hexdigest()
