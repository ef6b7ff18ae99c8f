from .ledger import Ledger as Ledger
from .spending import Bill as Bill
from .spending import Budget as Budget
from .spending import Cost as Cost
from .spending import Spending as Spending
