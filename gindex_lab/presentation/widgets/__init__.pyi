# Made from the table of contents: python -m gindex_lab.foundation.stubs

from gindex_lab.presentation.widgets.adaptive_test import adaptive_demo as adaptive_demo
from gindex_lab.presentation.widgets.adaptive_test import adaptive_sitting as adaptive_sitting
from gindex_lab.presentation.widgets.adaptive_test import adaptive_view as adaptive_view
from gindex_lab.presentation.widgets.anytime_live import anytime_demo as anytime_demo
from gindex_lab.presentation.widgets.anytime_live import anytime_view as anytime_view
from gindex_lab.presentation.widgets.calculator import calculator_demo as calculator_demo
from gindex_lab.presentation.widgets.calculator import calculator_view as calculator_view
from gindex_lab.presentation.widgets.calculator import sensitivities as sensitivities
from gindex_lab.presentation.widgets.calculator import system as system
from gindex_lab.presentation.widgets.curve import curve_demo as curve_demo
from gindex_lab.presentation.widgets.curve import curve_view as curve_view
from gindex_lab.presentation.widgets.exercises import check as check
from gindex_lab.presentation.widgets.exercises_course import ever_excluded as ever_excluded
from gindex_lab.presentation.widgets.exercises_lab import after as after
from gindex_lab.presentation.widgets.exercises_lab import exercise as exercise
from gindex_lab.presentation.widgets.guttman import guttman_demo as guttman_demo
from gindex_lab.presentation.widgets.guttman import guttman_responses as guttman_responses
from gindex_lab.presentation.widgets.guttman import guttman_view as guttman_view
from gindex_lab.presentation.widgets.horizon import horizon_demo as horizon_demo
from gindex_lab.presentation.widgets.horizon import horizon_view as horizon_view
from gindex_lab.presentation.widgets.individuals import general_factor_share as general_factor_share
from gindex_lab.presentation.widgets.individuals import individuals_demo as individuals_demo
from gindex_lab.presentation.widgets.individuals import individuals_view as individuals_view
from gindex_lab.presentation.widgets.individuals import population_responses as population_responses
from gindex_lab.presentation.widgets.lambda_worlds import worlds as worlds
from gindex_lab.presentation.widgets.lambda_worlds import WorldSession as WorldSession
from gindex_lab.presentation.widgets.live import Demo as Demo
from gindex_lab.presentation.widgets.live import View as View
from gindex_lab.presentation.widgets.manual import Manual as Manual
from gindex_lab.presentation.widgets.manual import manual_demo as manual_demo
from gindex_lab.presentation.widgets.manual import manual_view as manual_view
from gindex_lab.presentation.widgets.manual import play as play
from gindex_lab.presentation.widgets.stepper import PROGRAMS as PROGRAMS
from gindex_lab.presentation.widgets.stepper import stepper_demo as stepper_demo
from gindex_lab.presentation.widgets.stepper import stepper_view as stepper_view
from gindex_lab.presentation.widgets.take_test import Sitting as Sitting
from gindex_lab.presentation.widgets.take_test import sitting as sitting
from gindex_lab.presentation.widgets.take_test import sitting_demo as sitting_demo
from gindex_lab.presentation.widgets.take_test import sitting_view as sitting_view
from gindex_lab.presentation.widgets.two_programs import programs_demo as programs_demo
from gindex_lab.presentation.widgets.two_programs import programs_view as programs_view
from gindex_lab.presentation.widgets.two_programs import written_flow as written_flow

__all__: list[str]
