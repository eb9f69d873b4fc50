"""MANY: worker processes for everything that is judged side by side: matrix, report, tutorial, animation, batch."""

from __future__ import annotations

from silhouette.workers.pool import PATIENT, WORKER_LOST, NextTask, WorkerPool, parallel_map
from silhouette.workers.process import worker_number
from silhouette.workers.slots import Event
from silhouette.workers.starting import CAN_FORK, cores, start_method

__all__ = [
    "CAN_FORK",
    "PATIENT",
    "WORKER_LOST",
    "Event",
    "NextTask",
    "WorkerPool",
    "cores",
    "parallel_map",
    "start_method",
    "worker_number",
]
