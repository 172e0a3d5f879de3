"""Gives half of the valid requests an existing id, so that the tests cover more answers than "not
found"."""

import json
import os

import schemathesis
from schemathesis import GenerationMode

KNOWN = json.loads(os.environ.get("LIFESIGNAL_KNOWN_IDS", "{}"))


@schemathesis.hook
def map_case(context, case):
    known = KNOWN.get(case.operation.definition.raw.get("operationId"))
    is_good = case.meta is not None and case.meta.generation.mode == GenerationMode.POSITIVE
    if (
        known
        and is_good
        and "id" in (case.path_parameters or {})
        and str(case.path_parameters["id"])[:1] < "8"
    ):
        case.path_parameters["id"] = known
    return case
