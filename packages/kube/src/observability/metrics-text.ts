/**
 * Many series in the text form that scrapers read, a piece at a time. Nothing is kept between pieces, and labels that series in a
 * row share are put into words once. What the series are is decided elsewhere.
 */
import type { MetricLabels, MetricSpec, Series } from '../world.ts';

/**
 * How much is put into words at a time, in characters. Strings of this size live and die in the young part of the heap; a buffer
 * would stay until the whole heap is looked through.
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
