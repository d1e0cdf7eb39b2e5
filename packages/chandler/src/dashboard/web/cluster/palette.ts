/** The colours of the canvas, taken from the style sheet, so that both themes are written in one place. */
import type { NodePhase, PodPhase } from '../../wire.ts';

export interface Palette {
  readonly page: string;
  readonly tile: string;
  /** Of a tile that is too small for a border. */
  readonly empty: string;
  readonly line: string;
  readonly text: string;
  readonly soft: string;
  readonly pods: Readonly<Record<PodPhase, string>>;
  readonly phases: Readonly<Record<NodePhase, string>>;
}

export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    page: colour('page'),
    tile: colour('tile'),
    empty: colour('empty'),
    line: colour('line'),
    text: colour('text'),
    soft: colour('soft'),
    pods: {
      r: colour('pod-running'),
      c: colour('pod-creating'),
      l: colour('pod-leaving'),
      f: colour('pod-failed'),
      p: colour('pod-pending'),
    },
    phases: {
      planned: colour('pod-pending'),
      booting: colour('pod-creating'),
      ready: colour('ready'),
      'not-ready': colour('pod-failed'),
      disrupting: colour('pod-leaving'),
      cordoned: colour('soft'),
      deleting: colour('pod-leaving'),
      failed: colour('pod-failed'),
    },
  };
}
