# Made from the table of contents: python -m gindex_lab.foundation.stubs

from gindex_lab.studies.analysis.accuracy import against_chance as against_chance
from gindex_lab.studies.analysis.accuracy import floors_of as floors_of
from gindex_lab.studies.analysis.accuracy import score_differences as score_differences
from gindex_lab.studies.analysis.accuracy import score_table as score_table
from gindex_lab.studies.analysis.accuracy import task_table as task_table
from gindex_lab.studies.analysis.audit import audit_counts as audit_counts
from gindex_lab.studies.analysis.audit import expected_duplicates as expected_duplicates
from gindex_lab.studies.analysis.audit import item_audit as item_audit
from gindex_lab.studies.analysis.comparing import Order as Order
from gindex_lab.studies.analysis.comparing import order_of as order_of
from gindex_lab.studies.analysis.linking import linked_differences as linked_differences
from gindex_lab.studies.analysis.models import factor_view as factor_view
from gindex_lab.studies.analysis.models import fitted as fitted
from gindex_lab.studies.analysis.models import irt_view as irt_view
from gindex_lab.studies.analysis.models import person_fit_view as person_fit_view
from gindex_lab.studies.analysis.options import TRANSFORMS as TRANSFORMS
from gindex_lab.studies.analysis.shuffle import shuffle_control as shuffle_control
from gindex_lab.studies.analysis.starting import analyse_table as analyse_table
from gindex_lab.studies.analysis.summary import about_control as about_control
from gindex_lab.studies.analysis.summary import about_data as about_data
from gindex_lab.studies.analysis.summary import about_items as about_items
from gindex_lab.studies.analysis.summary import about_order as about_order
from gindex_lab.studies.analysis.summary import about_survival as about_survival
from gindex_lab.studies.analysis.summary import Said as Said
from gindex_lab.studies.analysis.surviving import definitions as definitions
from gindex_lab.studies.analysis.surviving import survival as survival
from gindex_lab.studies.analysis.surviving import verdict as verdict
from gindex_lab.studies.analysis.tables import drawable_names as drawable_names
from gindex_lab.studies.analysis.whole import Analysis as Analysis

__all__: list[str]
