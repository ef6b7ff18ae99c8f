from .architecture import Architecture as Architecture
from .decoding import Decoding as Decoding
from .sentence_vae import Rewritten as Rewritten
from .sentence_vae import SentenceVAE as SentenceVAE
from .settings import Training as Training
from .settings import Weights as Weights
from .train import TrainingFiles as TrainingFiles
