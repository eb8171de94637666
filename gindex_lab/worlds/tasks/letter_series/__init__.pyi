# Made from the table of contents: python -m gindex_lab.foundation.stubs

from gindex_lab.worlds.tasks.letter_series.items import Filters as Filters
from gindex_lab.worlds.tasks.letter_series.items import generate as generate
from gindex_lab.worlds.tasks.letter_series.items import is_stable as is_stable
from gindex_lab.worlds.tasks.letter_series.items import Item as Item
from gindex_lab.worlds.tasks.letter_series.items import items_table as items_table
from gindex_lab.worlds.tasks.letter_series.items import SeriesSession as SeriesSession
from gindex_lab.worlds.tasks.letter_series.items import Session as Session
from gindex_lab.worlds.tasks.letter_series.items import shown_length as shown_length
from gindex_lab.worlds.tasks.letter_series.kt import best_program as best_program
from gindex_lab.worlds.tasks.letter_series.kt import continuations as continuations
from gindex_lab.worlds.tasks.letter_series.kt import kt as kt
from gindex_lab.worlds.tasks.letter_series.kt import KtScale as KtScale
from gindex_lab.worlds.tasks.letter_series.kt import predict as predict
from gindex_lab.worlds.tasks.letter_series.kt import Scale as Scale
from gindex_lab.worlds.tasks.letter_series.machine import canonical as canonical
from gindex_lab.worlds.tasks.letter_series.machine import INSTRUCTIONS as INSTRUCTIONS
from gindex_lab.worlds.tasks.letter_series.machine import run as run
from gindex_lab.worlds.tasks.letter_series.systems import computed as computed
from gindex_lab.worlds.tasks.letter_series.systems import differences as differences
from gindex_lab.worlds.tasks.letter_series.systems import fit as fit
from gindex_lab.worlds.tasks.letter_series.systems import Induction as Induction
from gindex_lab.worlds.tasks.letter_series.systems import SLIPS as SLIPS
from gindex_lab.worlds.tasks.letter_series.systems import SYSTEMS as SYSTEMS
from gindex_lab.worlds.tasks.letter_series.table import Table as Table
from gindex_lab.worlds.tasks.letter_series.table import table as table

__all__: list[str]
