/**
 * A report as one page that needs nothing else: nodes as bars with the pods on them, the price against the
 * bound, and the refusals in words. It runs no script and loads nothing, and its own policy says so.
 */

import { type Html, html } from '../../causes/index.ts';
import { groupName, groupNodes, type NodeGroup } from './group-nodes.ts';
import { PALETTE, STYLE } from './html-style.ts';
import { refusalLines } from './refusal-lines.ts';
import type { Packing, Report, ReportedNode, ReportedRefusal, Summary } from './report.ts';
import { amountText, count, money, packingText, podSentence, priceSentence } from './words.ts';

export function renderHtml(report: Report): string {
  const { summary, nodes, existingNodes, refusals, inputErrors, notes } = report;
  const colours = new Colours([...nodes, ...existingNodes]);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Plan: ${priceSentence(summary)}</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
<main>
<h1>${priceSentence(summary)}</h1>
<p class="soft">${podSentence(summary)}</p>
${factsOf(summary)}
${priceOf(summary)}
${refusalSection(refusals)}
${nodeSection('New nodes', nodes, colours)}
${nodeSection('Existing nodes with new pods', existingNodes, colours)}
${listSection(
  'Ignored because of invalid input',
  inputErrors.map(({ object, field, problem }) => `${object}: ${field}: ${problem}`),
)}
${listSection('Notes', notes)}
</main>
</body>
</html>
`;
  return page.html;
}

// ---------------------------------------------------------------------------------------------------------------

/** A larger page would be slow; JSON contains all of them. */
const MAX_GROUPS = 200;
const MAX_LEGEND = 40;
const MAX_PODS = 200;
/** Narrower segments cannot hold a word. */
const LABEL_PERCENT = 12;
const PODS_PERCENT = 50;

interface Colour {
  readonly value: string;
  /** The palette was used up: the same colour again, hatched. */
  readonly second: boolean;
}

/** Workloads with the most pods choose first. */
class Colours {
  readonly workloads: readonly { readonly name: string; readonly pods: number }[];
  readonly #byName = new Map<string, Colour>();

  constructor(nodes: readonly ReportedNode[]) {
    const counts = new Map<string, number>();
    for (const { workload } of nodes.flatMap((node) => node.pods)) {
      counts.set(workload, (counts.get(workload) ?? 0) + 1);
    }
    this.workloads = [...counts]
      .map(([name, pods]) => ({ name, pods }))
      .sort((first, second) => second.pods - first.pods || (first.name < second.name ? -1 : 1));
    this.workloads.forEach(({ name }, index) => {
      const value = PALETTE[index % PALETTE.length]!;
      this.#byName.set(name, { value, second: index >= PALETTE.length });
    });
  }

  of(workload: string): Colour {
    return this.#byName.get(workload) ?? { value: PALETTE[0]!, second: false };
  }
}

function factsOf({ pods, placed, refused, nodes, pricePerHour, bound, preferences }: Summary): Html {
  const fact = (name: string, value: string, bad = false) =>
    html`<div class="${bad ? 'bad' : 'fine'}"><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<dl class="facts">
${fact('Price per hour', money(pricePerHour))}
${fact('Lowest possible price', bound === null || bound.gapPercent === null ? 'unknown' : money(bound.perHour))}
${preferences === null ? null : [fact('Cost of preferences', money(preferences.costPerHour)), '\n']}${fact('New nodes', `${nodes}`)}
${fact('Pods placed', `${placed} of ${pods}`)}
${fact('Unschedulable pods', `${refused}`, refused > 0)}
</dl>`;
}

function priceOf({ pricePerHour, bound }: Summary): Html | null {
  if (bound === null || bound.gapPercent === null || pricePerHour === 0) return null;
  const share = Math.min(100, (bound.perHour / pricePerHour) * 100).toFixed(2);
  return html`<div class="price" role="img" aria-label="This plan ${money(pricePerHour)} per hour, lowest possible price ${money(bound.perHour)}">
<div class="scale">
<span>This plan ${money(pricePerHour)}</span><i style="width:100%"></i>
<span>No plan below ${money(bound.perHour)}</span><i class="best" style="width:${share}%"></i>
</div></div>`;
}

function nodeSection(title: string, nodes: readonly ReportedNode[], colours: Colours): Html | null {
  if (nodes.length === 0) return null;
  const groups = groupNodes(nodes);
  const more = groups.length - MAX_GROUPS;
  const present = new Set(nodes.flatMap((node) => node.pods.map((pod) => pod.workload)));
  const listed = colours.workloads.filter(({ name }) => present.has(name)).slice(0, MAX_LEGEND);
  const hasBefore = nodes.some((node) => node.packing.some(({ before }) => before > 0));
  return html`<section>
<h2>${title}<small>${count(nodes.length, 'node')}${groups.length < nodes.length ? `, ${count(groups.length, 'different one')}` : ''}</small></h2>
<ul class="legend">${listed.map(({ name }) => html`<li><b style="background:${colours.of(name).value}"></b>${name}</li>`)}
${hasBefore ? html`<li><b class="before"></b>DaemonSet pods and existing pods</li>` : null}</ul>
<div class="nodes">${groups.slice(0, MAX_GROUPS).map((group) => nodeCard(group, colours))}</div>
${more > 0 ? html`<p class="soft">${count(more, 'more kind')} of nodes; -o json lists them all.</p>` : null}
</section>`;
}

function nodeCard(group: NodeGroup, colours: Colours): Html {
  const node = group.nodes[0]!;
  const times = group.nodes.length > 1 ? `${group.nodes.length} × ` : '';
  const price =
    node.pricePerHour === null ? '' : `${money(node.pricePerHour)}/h${times === '' ? '' : ' each'}`;
  const open =
    node.instanceTypeCount === null || node.instanceTypeCount < 2
      ? null
      : `cheapest of ${node.instanceTypeCount} types`;
  const facts = [
    groupName(group),
    node.nodePool && `pool ${node.nodePool}`,
    node.zone,
    node.capacityType,
    open,
  ];
  return html`<article class="node">
<header><h3>${times}${node.instanceType ?? node.name}</h3><span>${price}</span></header>
<p>${facts.filter((fact) => fact).join(' · ')}</p>
${node.packing.filter(isSignificant).map((packing) => barOf(packing, group, colours))}
<details><summary>${count(node.pods.length, 'pod')}</summary><ul>${podList(group.nodes)}</ul></details>
</article>`;
}

/** The number of pods is rarely what fills a node; then its bar says nothing. */
function isSignificant({ resource, percent }: Packing): boolean {
  return resource !== 'pods' || percent >= PODS_PERCENT;
}

function podList(nodes: readonly ReportedNode[]): Html[] {
  const names = nodes.flatMap((node) => node.pods.map((pod) => pod.name));
  const more = names.length - MAX_PODS;
  const items = names.slice(0, MAX_PODS).map((name) => html`<li>${name}</li>`);
  return more > 0 ? [...items, html`<li>and ${more} more</li>`] : items;
}

function barOf(packing: Packing, group: NodeGroup, colours: Colours): Html {
  const { resource, allocatable, pods, before } = packing;
  const node = group.nodes[0]!;
  const percentOf = (amount: number) => (allocatable > 0 ? (amount / allocatable) * 100 : 0);
  const segments = group.workloads.map(({ name, pods: number }) => {
    const amount = node.pods
      .filter((pod) => pod.workload === name)
      .reduce((sum, pod) => sum + (pod.requests[resource] ?? 0), 0);
    return { name, number, amount, percent: percentOf(amount) };
  });
  const used = amountText(resource, pods + before);
  const full = amountText(resource, allocatable);
  return html`<div class="bar"><span title="${resource}">${resource.slice(resource.lastIndexOf('/') + 1)}</span>
<div class="track" role="img" aria-label="${resource}: ${used} of ${full} used, ${packingText(packing)}">
${before > 0 ? html`<i class="before tight" style="width:${percentOf(before).toFixed(2)}%" title="existing: ${amountText(resource, before)}"></i>` : null}${segments
  .filter(({ amount }) => amount > 0)
  .map(({ name, number, amount, percent }) => {
    const { value, second } = colours.of(name);
    const wide = percent >= LABEL_PERCENT;
    const classes = [second ? 'second' : '', wide ? '' : 'tight'].join(' ').trim();
    return html`<i class="${classes}" style="--c:${value};--n:${number};width:${percent.toFixed(2)}%" title="${name}: ${count(number, 'pod')}, ${amountText(resource, amount)}">${wide ? `${shortName(name)}${number > 1 ? ` ×${number}` : ''}` : ''}</i>`;
  })}</div>
<span>${packingText(packing)} of ${full}</span></div>
`;
}

/** Without the namespace: the legend and the tooltip have it. */
function shortName(workload: string): string {
  return workload.slice(workload.indexOf('/') + 1);
}

function refusalSection(refusals: readonly ReportedRefusal[]): Html | null {
  if (refusals.length === 0) return null;
  const pods = refusals.reduce((sum, refusal) => sum + refusal.pods.length, 0);
  return html`<section>
<h2>Refused<small>${count(pods, 'pod')}</small></h2>
${refusals.map(
  (refusal) => html`<article class="refusal">
<h3>${refusal.pods.slice(0, 3).join(', ')}${refusal.pods.length > 3 ? ` and ${refusal.pods.length - 3} more` : ''}</h3>
<ul>${refusalLines(refusal).map(({ depth, text }) => html`<li class="${depth === 1 ? 'inner' : 'outer'}">${text}</li>`)}</ul>
</article>`,
)}
</section>`;
}

function listSection(title: string, lines: readonly string[]): Html | null {
  if (lines.length === 0) return null;
  return html`<section><h2>${title}</h2><ul class="notes">${lines.map((line) => html`<li>${line}</li>`)}</ul></section>`;
}
