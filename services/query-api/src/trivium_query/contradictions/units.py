"""Units as people write them, converted by pint. Pure; pint is loaded when the first quantity is converted."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pint import UnitRegistry

# What people write, to what pint calls it. Longer spellings stand before those within them.
_SPELLINGS = (
    (r"square (?:kilomet(?:re|er)s?)|sq\.? ?km|km²|km2", "kilometer ** 2"),
    (r"square (?:met(?:re|er)s?)|sq\.? ?m|m²|m2|sqm", "meter ** 2"),
    (r"square (?:feet|foot)|sq\.? ?ft|ft²", "foot ** 2"),
    (r"square miles?", "mile ** 2"),
    (r"cubic met(?:re|er)s?|m³|m3", "meter ** 3"),
    (r"cubic centimet(?:re|er)s?|cm³|ccm", "centimeter ** 3"),
    (r"kilomet(?:re|er)s? (?:per|an) hour|km/h|kph|kmh", "kilometer / hour"),
    (r"miles? (?:per|an) hour|mph", "mile / hour"),
    (r"met(?:re|er)s? per second|m/s", "meter / second"),
    (r"revolutions per minute|revs per minute|rpm", "revolutions_per_minute"),
    (r"knots?|kn", "knot"),
    (r"nautical miles?|nmi|sea miles?", "nautical_mile"),
    (r"litres? per minute|liters? per minute|l/min", "liter / minute"),
    (r"kilomet(?:re|er)s?|kilometres|km", "kilometer"),
    (r"centimet(?:re|er)s?|cm", "centimeter"),
    (r"millimet(?:re|er)s?|mm", "millimeter"),
    (r"met(?:re|er)s?|m", "meter"),
    (r"miles?", "mile"),
    (r"feet|foot|ft", "foot"),
    (r"inch(?:es)?|in\.|″", "inch"),
    (r"yards?|yd", "yard"),
    (r"hectares?|ha", "hectare"),
    (r"acres?", "acre"),
    (r"kilograms?|kilogrammes?|kilos?|kg", "kilogram"),
    (r"milligrams?|milligrammes?|mg", "milligram"),
    (r"micrograms?|mcg|µg|μg", "microgram"),
    (r"grams?|grammes?|g", "gram"),
    (r"metric tons?|tonnes?|tons?|t", "metric_ton"),
    (r"pounds?(?= of weight)|lbs?", "pound"),
    (r"ounces?|oz", "ounce"),
    (r"millilit(?:re|er)s?|ml|mL", "milliliter"),
    (r"centilit(?:re|er)s?|cl", "centiliter"),
    (r"decilit(?:re|er)s?|dl", "deciliter"),
    (r"cubic kilomet(?:re|er)s?|km³", "kilometer ** 3"),
    (r"cubic (?:feet|foot)|cu\.? ?ft", "foot ** 3"),
    (r"kilocalories?|kcal|calories", "kilocalorie"),
    (r"kilojoules?|kJ", "kilojoule"),
    (r"gigawatt[- ]hours?|GWh", "gigawatt_hour"),
    (r"gigawatts?|GW", "gigawatt"),
    (r"kilobytes?|kB|KB", "kilobyte"),
    (r"lit(?:re|er)s?|l|L", "liter"),
    (r"gallons?", "gallon"),
    (r"°C|degrees? (?:Celsius|centigrade)|degC|℃", "degree_Celsius"),
    (r"°F|degrees? Fahrenheit", "degree_Fahrenheit"),
    (r"millibars?|mbar", "millibar"),
    (r"bars?", "bar"),
    (r"kilopascals?|kPa", "kilopascal"),
    (r"psi", "psi"),
    (r"mmHg|mm Hg", "millimeter_Hg"),
    (r"kilowatt[- ]hours?|kWh", "kilowatt_hour"),
    (r"megawatt[- ]hours?|MWh", "megawatt_hour"),
    (r"kilowatts?|kW", "kilowatt"),
    (r"megawatts?|MW", "megawatt"),
    (r"watts?|W", "watt"),
    (r"horsepower|hp", "horsepower"),
    (r"volts?|V", "volt"),
    (r"milliamp(?:ere)?[- ]hours?|mAh", "milliampere_hour"),
    (r"gigabytes?|GB", "gigabyte"),
    (r"megabytes?|MB", "megabyte"),
    (r"terabytes?|TB", "terabyte"),
    (r"hertz|Hz", "hertz"),
    (r"kilohertz|kHz", "kilohertz"),
    (r"gigahertz|GHz", "gigahertz"),
    (r"seconds?|secs?|s", "second"),
    (r"minutes?|mins?", "minute"),
    (r"hours?|hrs?|h", "hour"),
    (r"days?", "day"),
    (r"fortnights?", "fortnight"),
    (r"weeks?", "week"),
    (r"months?", "month"),
    (r"years?", "year"),
)  # fmt: skip
UNIT = "|".join(f"(?:{spelt})" for spelt, _ in _SPELLINGS)
_ONE = tuple((re.compile(spelt), name) for spelt, name in _SPELLINGS)


@cache
def _registry() -> UnitRegistry[float]:
    import pint  # noqa: PLC0415  a third of a second, and 30 MB

    return pint.UnitRegistry(cache_folder=None)


@cache
def unit_named(spelt: str) -> str:
    """What pint calls the unit spelt so; "" for none of ours."""
    bare = " ".join(spelt.replace("-", " ").split())
    for text in (spelt, bare, bare.lower()):
        for pattern, name in _ONE:
            if pattern.fullmatch(text):
                return name
    return ""


@cache
def dimension_of(unit: str) -> str:
    """What quantities of this unit may be compared with: "[length]", "[mass] / [length] / [time] ** 2"."""
    parsed = _registry().parse_units(unit)
    return (
        str(parsed.dimensionality)
        if parsed.dimensionality
        else str(_registry().Quantity(1, parsed).to_base_units().units)
    )


def in_base(number: float, unit: str) -> float:
    """The quantity in base units; temperatures in kelvin."""
    return float(_registry().Quantity(number, unit).to_base_units().magnitude)
