import numpy as np

from edge2vec.base.types import UInt8Array
from edge2vec.puzzle.cut import cut
from edge2vec.puzzle.views import edge_strips


def test_strips_of_true_neighbours_touch_pixel_by_pixel(photo: UInt8Array) -> None:
    """On a picture of coordinates, what touches differs by one step and by nothing else."""
    rows, cols = np.mgrid[0:112, 0:140].astype(np.uint8)
    coordinates = np.stack([rows, cols, np.zeros_like(rows)], axis=2)
    puzzle = cut(coordinates, piece_size=28, erode=0, rotate=True, seed=2)
    assert puzzle.truth is not None
    strips = edge_strips(puzzle.pieces, erode=0, depth=1)[:, 0].astype(int)
    joints = puzzle.truth.joints()
    distance = np.abs(strips[joints[:, 0]] - strips[joints[:, 1], ::-1]).sum(axis=-1)
    assert (distance == 1).all()


def test_the_eroded_frame_is_skipped(photo: UInt8Array) -> None:
    worn = cut(photo, erode=3, seed=0).pieces
    strips = edge_strips(worn, erode=3, depth=2)
    assert strips.shape == (4 * len(worn), 2, 22, 3)
    assert np.array_equal(strips[0, 0], worn[0, 3, 3:-3])
    assert np.array_equal(strips[1, 1], worn[0, 3:-3, -5])
    assert np.array_equal(strips[2, 0], worn[0, -4, 3:-3][::-1])
    assert np.array_equal(strips[3, 0], worn[0, 3:-3, 3][::-1])
