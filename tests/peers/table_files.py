"""Spreadsheets and tables that the table questions ask about; everything in them is invented."""

from __future__ import annotations

import calendar
import csv
import datetime
import io

import docx
import openpyxl

STATIONS = ("Alder Bridge", "Birch Hollow", "Cinder Lane", "Dove Point")
YEARS = range(2019, 2024)


def rain_mm(station: int, year: int, month: int) -> float:
    return 20 + (37 * station + 11 * month + 5 * (year - 2019)) % 90 + 0.5 * ((station + month) % 2)


def rainfall() -> bytes:
    """240 rows: too many for one passage."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["Station", "Year", "Month", "Rain (mm)"])
    for station, name in enumerate(STATIONS):
        for year in YEARS:
            for month in range(1, 13):
                writer.writerow([name, year, calendar.month_name[month], rain_mm(station, year, month)])
    return stream.getvalue().encode()


STAFF = (
    ("Ada Quist", "Boats", 41_000, datetime.date(2015, 3, 1), "Harrow"),
    ("Ben Orlo", "Boats", 38_500, datetime.date(2019, 7, 15), "Stennet"),
    ("Cleo Marsh", "Surveys", 45_200, datetime.date(2012, 11, 20), "Oxley"),
    ("Dana Irwin", "Surveys", 39_900, datetime.date(2021, 1, 10), "Harrow"),
    ("Edwin Rooke", "Office", 36_100, datetime.date(2018, 5, 5), "Oxley"),
    ("Fay Lindqvist", "Surveys", 47_800, datetime.date(2009, 2, 2), "Stennet"),
    ("Gus Haldane", "Office", 52_300, datetime.date(2006, 9, 9), "Harrow"),
)
INCOME = (
    ("Source", 2020, 2021, 2022, 2023),
    ("Membership", 12_000, 12_600, 13_100, 14_050),
    ("Permits", 8_400, 7_900, 9_150, 9_800),
    ("Donations", 3_000, 15_500, 4_200, 6_100),
    ("Total", 23_400, 36_000, 26_450, 29_950),
)


def staff_and_income() -> bytes:
    """Real dates, and a sheet with a column for each year and a row that sums up the others."""
    book = openpyxl.Workbook()
    staff = book.active
    assert staff is not None
    staff.title = "Staff"
    staff.append(["Name", "Department", "Salary (EUR)", "Hired", "Town"])
    for row in STAFF:
        staff.append(row)
    income = book.create_sheet("Income")
    for line in INCOME:
        income.append([str(cell) if line is INCOME[0] else cell for cell in line])
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


PLOTS = """Plot,Tenant,Area (m2),Rent (GBP)
1,Joan Fell,120,32
2,Amir Dost,90,26
3,Ken Osei,150,40
7,Mia Larkin,120,32
"""
SHOPS = """Month,Shop,Goods,Units,Revenue EUR
2025-01,Ilkley,Kettle,120,3600
2025-01,Selby,Kettle,80,2400
2025-01,Ilkley,Toaster,60,2700
2025-02,Ilkley,Kettle,95,2850
2025-02,Selby,Kettle,110,3300
2025-02,Selby,Toaster,45,2025
2025-03,Ilkley,Kettle,130,3900
2025-03,Selby,Toaster,70,3150
2025-03,Hedon,Kettle,140,4000
"""
NITRATE = """Messstelle;Datum;Nitrat (mg/l);Tiefe (m)
Nordufer;2023-04-03;12,5;1,2
Nordufer;2023-07-11;9,75;1,1
Südufer;2023-04-04;18,25;2,4
Südufer;2023-07-12;16,5;2,2
Mühlteich;2023-04-05;22,0;0,9
Mühlteich;2023-07-13;24,5;0,8
"""


def boats() -> bytes:
    document = docx.Document()
    document.add_heading("The boats of the harbour", 1)
    rows = (
        ("Boat", "Type", "Built", "Length (m)", "Licensed until"),
        ("Heron", "rowing boat", "1994", "4.2", "30 June 2025"),
        ("Kestrel", "motor boat", "2008", "7.5", "31 December 2024"),
        ("Plover", "punt", "2001", "5.1", "15 March 2026"),
        ("Curlew", "motor boat", "2015", "8.3", "1 October 2025"),
    )
    table = document.add_table(rows=0, cols=len(rows[0]), style="Table Grid")
    for row in rows:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


ORCHARD = """# The orchard at Stennet

| Variety | Plot | Crates | Price per crate ($) |
|---|---|---|---|
| Bramley | A | 1,240 | 18.50 |
| Cox | A | 860 | 22.00 |
| Egremont | B | 415 | 27.25 |
| Bramley | C | 1,015 | 18.50 |
| Discovery | B | 390 | 16.00 |
"""


SALES = """Order,Customer,Country,Product,Quantity,Unit price ($),Order date
1001,Acme Ltd,Germany,Widget,10,2.50,2023-01-15
1002,Bolt & Sons,France,Gadget,4,12.00,2023-01-20
1003,Acme Ltd,Germany,Gadget,6,12.00,2023-02-03
1004,Crane Co,Spain,Widget,25,2.40,2023-02-17
1005,Bolt & Sons,France,Sprocket,100,0.35,2023-03-08
1006,Dyer Inc,Germany,Widget,12,2.50,2023-03-29
1007,Crane Co,Spain,Sprocket,80,0.35,2024-01-11
"""
EXAM = """# Exam results

| Student | Maths | Physics | History | Passed |
|---|---|---|---|---|
| Lena | 71 | 64 | 88 | yes |
| Omar | 93 | 90 | 55 | yes |
| Petra | 40 | 38 | 61 | no |
"""


def table_files() -> dict[str, bytes]:
    """By name."""
    return {
        "rainfall.csv": rainfall(),
        "staff-and-income.xlsx": staff_and_income(),
        "nitrat.csv": NITRATE.encode(),
        "boats.docx": boats(),
        "orchard.md": ORCHARD.encode(),
        "plots.csv": PLOTS.encode(),
        "shop-sales.csv": SHOPS.encode(),
        "sales.csv": SALES.encode(),
        "exam.md": EXAM.encode(),
    }
