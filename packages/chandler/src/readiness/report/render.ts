/** Prints a report in the requested format. */
import { KUBE_YAML } from '@chandler/kube';
import { stringify } from 'yaml';
import type { CheckRow } from '../checks/check.ts';
import type { Report } from '../judge.ts';
import { renderAnnotations } from './render-annotations.ts';
import { renderCsv } from './render-csv.ts';
import { renderHtml } from './render-html.ts';
import { renderJson, reportJson } from './render-json.ts';
import { renderJunit } from './render-junit.ts';
import { renderMarkdown } from './render-markdown.ts';
import { renderPrometheus } from './render-prometheus.ts';
import { renderSarif } from './render-sarif.ts';
import { renderText } from './render-text.ts';

export type Output =
  | 'text'
  | 'json'
  | 'yaml'
  | 'markdown'
  | 'sarif'
  | 'junit'
  | 'html'
  | 'github'
  | 'csv'
  | 'prometheus';

export interface RenderOptions {
  readonly color: boolean;
  /** Text alone: also list what passes and what is skipped, with evidence. */
  readonly verbose: boolean;
  /** Paths of files are relative to it where a format needs that. */
  readonly cwd: string;
  /** The version of Chandler. */
  readonly version: string;
  /** The checks that were run. */
  readonly checks: readonly CheckRow[];
}

export function render(report: Report, output: Output, options: RenderOptions): string {
  return RENDERERS[output](report, options);
}

// ---------------------------------------------------------------------------------------------------------------

const RENDERERS: Readonly<Record<Output, (report: Report, options: RenderOptions) => string>> = {
  text: renderText,
  json: renderJson,
  yaml: (report) =>
    stringify(reportJson(report), { ...KUBE_YAML, aliasDuplicateObjects: false, lineWidth: 0 }),
  markdown: renderMarkdown,
  sarif: renderSarif,
  junit: renderJunit,
  html: renderHtml,
  github: renderAnnotations,
  csv: renderCsv,
  prometheus: renderPrometheus,
};
