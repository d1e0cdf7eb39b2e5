/**
 * Renders many series in the Prometheus text format, in chunks. Nothing is kept between chunks, and labels that
 * consecutive series share are rendered once. The series come from the caller.
 */
import type { MetricLabels, MetricSpec, Series } from '../world.ts';

/**
 * Characters of a chunk. Strings of this size are collected in the young generation of the heap; a larger buffer would
 * stay until a full collection.
 */
const PIECE_LENGTH = 32 * 1024;

export function* seriesLines(spec: MetricSpec, all: Iterable<Series>): Generator<string> {
  let text = `\n# HELP ${spec.name} ${spec.help}\n# TYPE ${spec.name} gauge\n`;
  let shared: MetricLabels = NONE;
  let sharedText = '';
  for (const [value, labels = NONE, more] of all) {
    if (labels !== shared) {
      shared = labels;
      sharedText = pairsOf(labels);
    }
    const pairs = more === undefined ? sharedText : joined(sharedText, pairsOf(more));
    text +=
      pairs === '' ? `${spec.name} ${numberText(value)}\n` : `${spec.name}{${pairs}} ${numberText(value)}\n`;
    if (text.length < PIECE_LENGTH) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

// ------------------------------------------------------------------------------------------------

const NONE: MetricLabels = {};

function pairsOf(labels: MetricLabels): string {
  let text = '';
  for (const name in labels) text += `${text === '' ? '' : ','}${name}="${escaped(labels[name]!)}"`;
  return text;
}

function joined(one: string, other: string): string {
  return one === '' || other === '' ? one + other : `${one},${other}`;
}

function escaped(value: string): string {
  return /[\\"\n]/.test(value)
    ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
    : value;
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return `${value}`;
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
