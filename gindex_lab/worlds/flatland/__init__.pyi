# Made from the table of contents: python -m gindex_lab.foundation.stubs

from gindex_lab.worlds.flatland.curricula import augment as augment
from gindex_lab.worlds.flatland.curricula import curriculum as curriculum
from gindex_lab.worlds.flatland.curricula import DOMAINS as DOMAINS
from gindex_lab.worlds.flatland.curricula import Sample as Sample
from gindex_lab.worlds.flatland.curricula import sample as sample
from gindex_lab.worlds.flatland.curricula import variations as variations
from gindex_lab.worlds.flatland.definitions import Call as Call
from gindex_lab.worlds.flatland.definitions import Definition as Definition
from gindex_lab.worlds.flatland.definitions import DrawingLimits as DrawingLimits
from gindex_lab.worlds.flatland.definitions import Limits as Limits
from gindex_lab.worlds.flatland.definitions import Link as Link
from gindex_lab.worlds.flatland.definitions import Node as Node
from gindex_lab.worlds.flatland.distances import binary_distance as binary_distance
from gindex_lab.worlds.flatland.distances import Distance as Distance
from gindex_lab.worlds.flatland.distances import distance as distance
from gindex_lab.worlds.flatland.distances import distances as distances
from gindex_lab.worlds.flatland.distances import generalisation_difficulty as generalisation_difficulty
from gindex_lab.worlds.flatland.distances import nearest as nearest
from gindex_lab.worlds.flatland.distances import omega as omega
from gindex_lab.worlds.flatland.drawings import Circle as Circle
from gindex_lab.worlds.flatland.drawings import Drawing as Drawing
from gindex_lab.worlds.flatland.drawings import Line as Line
from gindex_lab.worlds.flatland.enumeration import PieceSearch as PieceSearch
from gindex_lab.worlds.flatland.execution import Step as Step
from gindex_lab.worlds.flatland.execution import steps as steps
from gindex_lab.worlds.flatland.execution import Trace as Trace
from gindex_lab.worlds.flatland.execution import trace as trace
from gindex_lab.worlds.flatland.expansion import expand as expand
from gindex_lab.worlds.flatland.expansion import Graph as Graph
from gindex_lab.worlds.flatland.experiments import experiment as experiment
from gindex_lab.worlds.flatland.parsing import library as library
from gindex_lab.worlds.flatland.parsing import parse as parse
from gindex_lab.worlds.flatland.parsing import read as read
from gindex_lab.worlds.flatland.parsing import shape as shape
from gindex_lab.worlds.flatland.parsing import uses as uses
from gindex_lab.worlds.flatland.parsing import write as write
from gindex_lab.worlds.flatland.programs import Program as Program
from gindex_lab.worlds.flatland.rendering import image_similarity as image_similarity
from gindex_lab.worlds.flatland.rendering import picture as picture
from gindex_lab.worlds.flatland.rendering import save_png as save_png
from gindex_lab.worlds.flatland.rendering import to_svg as to_svg
from gindex_lab.worlds.flatland.systems import NearestPicture as NearestPicture
from gindex_lab.worlds.flatland.systems import RandomDrawing as RandomDrawing
from gindex_lab.worlds.flatland.systems import ShapeFitter as ShapeFitter

__all__: list[str]
