--- Inspector page, style sheet with a light and a dark theme.
-- Does not depend on the data.

return [==[
:root { color-scheme: light dark; --back: #f6f7f9; --card: #fff; --ink: #1c2430; --soft: #5a6677; --line: #d5dbe3;
  --accent: #0b62c4; --chosen: #dbe9fb; --bad: #b3261e; --bar: #7fb0ea; }
@media (prefers-color-scheme: dark) { :root { --back: #14181e; --card: #1c2128; --ink: #e2e8f0; --soft: #a3b0c1;
  --line: #343c48; --accent: #76b4ff; --chosen: #24405f; --bad: #ff8a80; --bar: #33638f; } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html, body { height: 100%; margin: 0; }
body { display: flex; flex-direction: column; background: var(--back); color: var(--ink);
  font: 14px/1.4 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 18px; padding: 8px 14px;
  border-bottom: 1px solid var(--line); background: var(--card); }
h1 { margin: 0; font-size: 17px; }
h2 { margin: 18px 0 6px; font-size: 14px; }
h2:first-child { margin-top: 0; }
#totals, .hint, #found, #ago { color: var(--soft); }
#state { margin-left: auto; color: var(--soft); }
#state.bad { color: var(--bad); font-weight: 600; }
#past { display: inline-flex; align-items: center; gap: 8px; }
#frames { width: 220px; accent-color: var(--accent); }
#ago { min-width: 13em; }
body.past #ago { color: var(--bad); font-weight: 600; }
main { flex: 1; min-height: 0; display: grid; gap: 12px; padding: 12px;
  grid-template-columns: minmax(230px, 1fr) minmax(300px, 1.3fr) minmax(310px, 1.2fr); }
section { min-height: 0; min-width: 0; padding: 12px; border: 1px solid var(--line); border-radius: 8px;
  background: var(--card); overflow: auto; }
#entities { display: flex; flex-direction: column; overflow: hidden; }
#search, #new-entity, .adding { display: flex; gap: 6px; }
#new-entity { margin-top: 6px; }
#query, #new-name, .adding > input { flex: 1; min-width: 0; }
.adding { flex-wrap: wrap; margin: 6px 0; }
#found { margin: 6px 2px; min-height: 1.4em; font-size: 12px; }
#found.bad { color: var(--bad); }
#tree { flex: 1; min-height: 120px; overflow: auto; border: 1px solid var(--line); border-radius: 6px; }
#rows { position: relative; }
.row { position: absolute; left: 0; right: 0; height: 24px; display: flex; align-items: center; gap: 6px;
  padding-right: 8px; white-space: nowrap; cursor: default; }
.row:hover { background: color-mix(in srgb, var(--chosen) 45%, transparent); }
.row[aria-selected="true"] { background: var(--chosen); }
#tree:focus-visible .active { outline: 2px solid var(--accent); outline-offset: -2px; }
.twist { width: 16px; text-align: center; color: var(--soft); font-size: 10px; flex: none; }
.name { overflow: hidden; text-overflow: ellipsis; }
.id { margin-left: auto; padding-left: 8px; color: var(--soft); font: 12px ui-monospace, monospace; }
.row.context .name { color: var(--soft); }
.row.unnamed .name { font-style: italic; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
input, select, button { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line);
  border-radius: 5px; padding: 2px 6px; }
input[type="range"], input[type="checkbox"] { padding: 0; }
button { cursor: pointer; }
button:disabled { opacity: 0.5; cursor: default; }
button.link { border: 0; background: none; padding: 0; color: var(--accent); text-align: left; }
button.link:hover { text-decoration: underline; }
table { width: 100%; border-collapse: collapse; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: 12px; }
th, td { padding: 3px 8px 3px 0; border-bottom: 1px solid var(--line); vertical-align: middle; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
.full { position: relative; display: block; min-width: 84px; height: 17px; border-radius: 3px; overflow: hidden;
  background: var(--back); border: 1px solid var(--line); }
.full > i { position: absolute; inset: 0 auto 0 0; background: var(--bar); }
.full > b { position: relative; display: block; font-size: 11px; line-height: 15px; font-weight: 400;
  text-align: center; }
.component { margin: 0 0 12px; padding: 0; border: 0; min-width: 0; }
.component > legend { padding: 6px 0 2px; font-weight: 600; }
.component > legend > button, .item > p > button { margin-left: 8px; font-weight: 400; font-size: 12px; }
.item { margin: 4px 0 8px; padding-left: 10px; border-left: 3px solid var(--line); }
.item > p { margin: 0 0 2px; color: var(--soft); font-size: 12px; }
.field { display: grid; grid-template-columns: minmax(80px, 32%) 1fr; gap: 2px 8px; padding: 2px 0;
  align-items: start; }
.field > .label { padding-top: 3px; overflow-wrap: anywhere; }
.field .type { display: block; color: var(--soft); font-size: 11px; line-height: 1.1; }
.values { display: flex; flex-wrap: wrap; gap: 4px; align-items: center; }
.values input[type="text"] { flex: 1 1 46px; min-width: 46px; max-width: 100%; font: 13px ui-monospace, monospace; }
.values.wide { display: grid; grid-template-columns: repeat(4, 1fr); }
.values.wide input { width: 100%; min-width: 0; }
.values input[readonly] { background: none; border-style: dashed; }
.values code { overflow-wrap: anywhere; white-space: pre-wrap; font-size: 12px; }
.swatch { width: 20px; height: 20px; border: 1px solid var(--line); border-radius: 4px; }
.angle { grid-column: 2; color: var(--soft); font-size: 12px; }
.trouble { grid-column: 2; color: var(--bad); font-size: 12px; }
[aria-invalid="true"] { border-color: var(--bad) !important; }
details > summary { cursor: pointer; color: var(--soft); font-size: 12px; }
#graph svg { display: block; width: 100%; height: 150px; border: 1px solid var(--line); border-radius: 6px;
  background: var(--back); margin: 6px 0; }
#graph text { fill: var(--soft); font-size: 11px; }
#map { margin-bottom: 12px; }
#map canvas { display: block; width: 100%; height: 300px; margin: 6px 0; border: 1px solid var(--line);
  border-radius: 6px; background: var(--back); touch-action: none; cursor: crosshair; }
.map-buttons { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; margin: 0; }
.key { display: inline-block; width: 10px; height: 10px; margin-right: 6px; border-radius: 2px; }
.level { margin: 0 0 10px; }
.level p { margin: 2px 0; overflow-wrap: anywhere; }
@media (max-width: 900px) { body { height: auto; } main { display: block; }
  section { overflow: visible; margin-bottom: 12px; } #tree { height: 45vh; flex: none; }
  #past { flex-wrap: wrap; } #ago { min-width: 0; } }
]==]
