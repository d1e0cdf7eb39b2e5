/** The style sheet of the page. It loads nothing, and the page is readable without colours. */

/** Dark enough for white text, and distinguishable for people with colour blindness. */
export const PALETTE: readonly string[] = [
  '#0b5fa5',
  '#8a4b00',
  '#00694f',
  '#8e2f7b',
  '#a33213',
  '#4f5b00',
  '#005f73',
  '#6a3fb5',
  '#9b1b4a',
  '#48556a',
];

export const STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #d5dbe3; --paper: #f6f7f9; --card: #fff;
  --free: #e9edf2; --good: #00694f; --bad: #a3231b; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7ebf0; --soft: #a3adba; --line: #37414d; --paper: #14181d;
  --card: #1d232a; --free: #2b333d; --good: #5fd0ae; --bad: #ff9c8f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 28px 20px 60px; }
h1 { font-size: 26px; margin: 0 0 4px; font-weight: 650; }
h2 { font-size: 18px; margin: 36px 0 12px; font-weight: 650; }
h2 small { font-weight: 400; color: var(--soft); font-size: 14px; margin-left: 6px; }
h3 { font-size: 15px; margin: 0; font-weight: 650; }
p { margin: 0 0 8px; }
.soft { color: var(--soft); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin: 20px 0; padding: 0; }
.facts div { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px 14px; }
.facts dt { color: var(--soft); font-size: 13px; }
.facts dd { margin: 0; font-size: 22px; font-weight: 650; font-variant-numeric: tabular-nums; }
.facts .bad dd { color: var(--bad); }
.price { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 14px; }
.scale { display: grid; grid-template-columns: max-content 1fr; gap: 6px 12px; align-items: center; font-variant-numeric: tabular-nums; }
.scale span { text-align: right; }
.scale i { display: block; height: 18px; border-radius: 3px; background: #0b5fa5; }
.scale i.best { background: repeating-linear-gradient(45deg, #00694f 0 6px, #12876a 6px 12px); }
.legend { display: flex; flex-wrap: wrap; gap: 6px 16px; margin: 0 0 14px; padding: 0; list-style: none; font-size: 14px; }
.legend b { display: inline-block; width: 14px; height: 14px; border-radius: 3px; margin-right: 6px; vertical-align: -2px; }
.nodes { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 500px), 1fr)); gap: 12px; }
.node { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px 14px; }
.node header { display: flex; justify-content: space-between; gap: 12px; align-items: baseline; }
.node header span { font-variant-numeric: tabular-nums; white-space: nowrap; }
.node p { font-size: 13px; color: var(--soft); margin: 0 0 8px; }
.bar { display: grid; grid-template-columns: 62px 1fr 112px; gap: 8px; align-items: center; font-size: 13px; margin-top: 4px; }
.bar > span { color: var(--soft); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bar > span:last-child { text-align: right; font-variant-numeric: tabular-nums; }
.track { display: flex; height: 24px; background: var(--free); border-radius: 4px; overflow: hidden; }
.track i { font-style: normal; font-size: 11px; color: #fff; line-height: 24px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  padding-left: 4px; min-width: 0; background-color: var(--c); border-right: 1px solid var(--card);
  background-image: linear-gradient(90deg, rgb(255 255 255 / .35) 1px, transparent 1px); background-size: calc(100% / var(--n)) 100%; background-position: -1px 0; }
.track i.second { background-image: repeating-linear-gradient(45deg, rgb(255 255 255 / .22) 0 4px, transparent 4px 8px); background-size: auto; }
.track i.before, .legend b.before { background: repeating-linear-gradient(45deg, #7b8694 0 5px, #98a2ae 5px 10px); }
.track i.tight { padding: 0; }
.refusal { background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--bad); border-radius: 8px; padding: 12px 14px; margin-bottom: 10px; }
.refusal ul { margin: 6px 0 0; padding-left: 20px; }
.refusal li { margin: 2px 0; overflow-wrap: anywhere; }
.refusal li.inner { margin-left: 18px; color: var(--soft); list-style: circle; }
.notes { color: var(--soft); padding-left: 20px; }
details summary { cursor: pointer; color: var(--soft); font-size: 13px; margin-top: 8px; }
details ul { margin: 4px 0 0; padding-left: 20px; font-size: 13px; columns: 2; }
@media print { body { background: #fff; } .node, .refusal { break-inside: avoid; } }
`;
