"""Compares the table of emergency numbers with libphonenumber's short numbers."""

import re
from pathlib import Path

import phonenumbers
import pytest
from phonenumbers import shortnumberinfo

SOURCE = Path(__file__).parents[2] / "Sources/Shared/Domain/Users/EmergencyNumber.swift"
ROW = re.compile(r'\(\s*"(\d*)",\s*(?:"""(.*?)"""|"([\d ]*)")\s*\)', re.DOTALL)


def table():
    """Returns the emergency number of each calling code, as the source code has it."""
    text = SOURCE.read_text()
    rows = ROW.findall(text[text.index("let table") :])
    return {code: number for number, long, short in rows for code in (long or short).split()}


NUMBERS = table()


def regions(code):
    """Returns the regions of a calling code. If the code begins with +1, returns the regions with
    that area code."""
    if len(code) < 4:
        return phonenumbers.region_codes_for_country_code(int(code))
    metadata = {
        region: phonenumbers.PhoneMetadata.metadata_for_region(region)
        for region in phonenumbers.region_codes_for_country_code(1)
    }
    return [
        region
        for region, data in metadata.items()
        if data.leading_digits and re.match(data.leading_digits, code[1:] + "2345678")
    ]


def test_emergency_table_is_parsed():
    assert len(NUMBERS) > 80 and NUMBERS["49"] == "112" and NUMBERS["1876"] == ""


@pytest.mark.parametrize("code", [code for code, number in NUMBERS.items() if number])
def test_number_is_valid_in_every_region(code):
    own = {region for other in NUMBERS if len(other) == 4 for region in regions(other)}
    found = [region for region in regions(code) if len(code) == 4 or region not in own]
    assert found
    for region in found:
        assert shortnumberinfo.connects_to_emergency_number(NUMBERS[code], region), region
