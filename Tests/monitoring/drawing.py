"""Draws the panels of a Grafana dashboard from what Prometheus answers, as a page that Chromium makes a picture of."""
import html
import subprocess
import time

CELL, ROW, SECONDS = 50, 24, 120    # a column's width and a row's height in pixels; how much time is shown
COLOURS = ["#7eb26d", "#eab839", "#6ed0e0", "#ef843c", "#e24d42", "#5794f2", "#ba43a9", "#b877d9", "#f9e2d2"]
STYLE = """body{margin:0;background:#111217;color:#ccccdc;font:12px 'DejaVu Sans',sans-serif;position:relative}
section{position:absolute;background:#181b1f;border:1px solid #25272d;box-sizing:border-box;overflow:hidden}
h2{font-size:12px;margin:6px 8px 2px}p{margin:6px 8px;color:#8e8e99}ul{margin:0 8px;padding:0;list-style:none;font-size:10px;
line-height:13px}li{display:inline-block;margin-right:9px}i{display:inline-block;width:9px;height:3px;margin-right:4px;
vertical-align:middle}.stats{display:flex;height:70px;gap:2px}.stats div{flex:1;text-align:center;padding-top:12px}
b{display:block;font-size:22px}.bar{margin:2px 8px;font-size:10px;display:flex}.bar u{height:12px;background:#5794f2;margin:0 6px}"""
SCALES = {"s": 1, "bytes": 1 / 1e6, "percentunit": 100}
UNITS = {"s": " s", "bytes": " MB", "percentunit": " %"}


def draw(dashboard, ask, picture, work):
    """Writes the picture; `ask` takes a query with start, end and step, and returns Prometheus' series."""
    end = time.time()
    ask_range = lambda query: ask(query, start=end - SECONDS, end=end, step=1)
    panels, height = "", 0
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        series = []
        for target in panel["targets"]:
            query = target["expr"].replace("$base", ".*").replace("$__rate_interval", "20s")
            for found in ask_range(query):
                name = target["legendFormat"]
                for label, value in found["metric"].items():
                    name = name.replace("{{%s}}" % label, value)
                series.append((name, [(float(at), float(value)) for at, value in found["values"]]))
        content = {"stat": stats, "bargauge": bars}.get(panel["type"], lines)(panel, series, end)
        height = max(height, (place["y"] + place["h"]) * ROW)
        panels += (f'<section style="left:{place["x"] * CELL}px;top:{place["y"] * ROW + 40}px;width:{place["w"] * CELL - 6}px;'
                   f'height:{place["h"] * ROW - 6}px"><h2>{html.escape(panel["title"])}</h2>{content}</section>')
    page = work / "dashboard.html"
    page.write_text(f"<!DOCTYPE html><meta charset=utf-8><style>{STYLE}</style><p style='padding-top:12px;margin-top:0'>Facet's "
                    "dashboard: its queries as Prometheus answered them in a test that breaks five of six cameras. "
                    f"Drawn by a page of the test, not by Grafana.</p>{panels}")
    subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--screenshot={picture}",
                    f"--window-size={24 * CELL - 6},{height + 40}", page.as_uri()], check=True, capture_output=True)


def number(panel, value):
    unit = panel["fieldConfig"]["defaults"].get("unit", "")
    return f"{value * SCALES.get(unit, 1):.3g}{UNITS.get(unit, '')}"


def stats(panel, series, _):
    words = {key: word["text"] for mapping in panel["fieldConfig"]["defaults"].get("mappings", [])
             for key, word in mapping["options"].items()}
    cells = ""
    for name, points in series:
        text = number(panel, points[-1][1])
        colour = {"no": "#c4162a", "yes": "#37872d"}.get(words.get(text), "none")
        cells += f'<div style="background:{colour}">{html.escape(name)}<b>{words.get(text, text)}</b></div>'
    return f'<div class=stats>{cells}</div>'


def bars(panel, series, _):
    most = max([points[-1][1] for _, points in series] + [1])
    return "".join(f'<div class=bar><span style="width:150px">{html.escape(name)}</span>'
                   f'<u style="width:{points[-1][1] / most * 300:.0f}px"></u>{number(panel, points[-1][1])}</div>'
                   for name, points in sorted(series))


def lines(panel, series, end):
    place = panel["gridPos"]
    width, height = place["w"] * CELL - 90, place["h"] * ROW - 80
    most = max([value for _, points in series for _, value in points] + [0]) * 1.05 or 1
    most = panel["fieldConfig"]["defaults"].get("max", most)
    drawn = "".join(f'<line x1=60 x2={60 + width} y1={y} y2={y} stroke="#25272d"/><text x=54 y={y + 4} fill="#8e8e99" '
                    f'font-size=10 text-anchor=end>{number(panel, most * (1 - y / height))}</text>' for y in (0, height // 2, height))
    legend = ""
    for index, (name, points) in enumerate(series):
        colour = COLOURS[index % len(COLOURS)]
        path, last = "", None
        for at, value in points:
            command = "L" if last is not None and at - last < 3 else "M"
            path += f"{command}{60 + (1 - (end - at) / SECONDS) * width:.1f} {(1 - value / most) * height:.1f}"
            last = at
        drawn += f'<path d="{path}" fill=none stroke="{colour}" stroke-width=1.4 />'
        legend += f'<li><i style="background:{colour}"></i>{html.escape(name)}</li>'
    return (f'<svg width={width + 70} height={height + 14} style="overflow:visible;margin-top:6px">{drawn}</svg><ul>{legend}</ul>')
