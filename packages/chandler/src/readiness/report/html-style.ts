/** The style sheet of the HTML report. It loads nothing, and the page is readable without colours. */

export const STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #d5dbe3; --paper: #f6f7f9; --card: #fff;
  --pass: #00694f; --warn: #8a5a00; --fail: #a3231b; --skip: #5b6675; --free: #e3e8ee; --code: #eef1f5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7ebf0; --soft: #a3adba; --line: #37414d; --paper: #14181d;
  --card: #1d232a; --pass: #5fd0ae; --warn: #f0c060; --fail: #ff9c8f; --skip: #a3adba; --free: #2b333d; --code: #2b333d; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
main { max-width: 1060px; margin: 0 auto; padding: 28px 20px 60px; }
h1 { font-size: 24px; margin: 0 0 4px; font-weight: 650; }
h2 { font-size: 18px; margin: 36px 0 12px; font-weight: 650; }
h2 small { font-weight: 400; color: var(--soft); font-size: 14px; margin-left: 6px; }
p { margin: 0 0 6px; }
a { color: inherit; }
.soft { color: var(--soft); }
.head { display: grid; grid-template-columns: 132px 1fr; gap: 24px; align-items: center; }
.ring { width: 132px; height: 132px; border-radius: 50%; display: grid; place-items: center;
  background: conic-gradient(var(--c) calc(var(--p) * 1%), var(--free) 0); }
.ring b { width: 102px; height: 102px; border-radius: 50%; background: var(--paper); display: grid; place-items: center;
  font-size: 28px; font-weight: 650; font-variant-numeric: tabular-nums; }
.next { margin-top: 10px; padding: 10px 14px; background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--c);
  border-radius: 8px; overflow-wrap: anywhere; }
.counts { display: grid; grid-template-columns: repeat(auto-fit, minmax(120px, 1fr)); gap: 12px; margin: 20px 0; }
.counts div { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px 14px; }
.counts dt { color: var(--soft); font-size: 13px; }
.counts dd { margin: 0; font-size: 22px; font-weight: 650; font-variant-numeric: tabular-nums; }
.phases { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 8px; margin: 0; padding: 0; list-style: none; }
.phases li { background: var(--card); border: 1px solid var(--line); border-top: 4px solid var(--c); border-radius: 8px; padding: 8px 12px; }
.phases small { display: block; color: var(--soft); }
details { background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--c); border-radius: 8px; margin-bottom: 6px; }
summary { display: grid; grid-template-columns: 60px 56px 76px 1fr; gap: 8px; padding: 8px 14px; cursor: pointer; list-style: none; }
.folded { background: none; padding: 0 8px 2px; }
.folded > summary { display: block; padding: 8px 6px; color: var(--soft); }
.folded > summary::before { content: "\\25B8  "; } .folded[open] > summary::before { content: "\\25BE  "; }
summary::-webkit-details-marker { display: none; }
summary b { color: var(--c); font-size: 13px; line-height: 22px; letter-spacing: .03em; }
summary span { color: var(--soft); font-variant-numeric: tabular-nums; }
.body { padding: 2px 14px 12px; overflow-wrap: anywhere; }
.body ul { margin: 4px 0 10px; padding-left: 20px; font-size: 14px; color: var(--soft); }
code { background: var(--code); border-radius: 4px; padding: 1px 5px; font: 13px ui-monospace, monospace; }
.fix { border-top: 1px solid var(--line); padding-top: 8px; margin-top: 8px; }
.pass { --c: var(--pass); } .warn { --c: var(--warn); } .fail, .error { --c: var(--fail); } .skip { --c: var(--skip); }
@media (max-width: 600px) { .head { grid-template-columns: 1fr; } summary { grid-template-columns: 52px 50px 1fr; } summary .severity { display: none; } }
@media print { body { background: #fff; } details { break-inside: avoid; } }
`;
