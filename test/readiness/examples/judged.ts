/** What all checks say about files. */
import { CHECKS, judge, type Report } from '../../../packages/chandler/src/readiness/index.ts';
import { inputsOf } from '../../../packages/chandler/src/readiness/testing.ts';

export type Files = Readonly<Record<string, string>>;

export function judged(files: Files): Report {
  return judge(inputsOf(files), CHECKS, { strict: false });
}

/** The statuses of a check, each once, the worst first. */
export function statusesOf(id: string, files: Files): readonly string[] {
  return [
    ...new Set(
      judged(files)
        .findings.filter((finding) => finding.id === id)
        .map(({ status }) => status),
    ),
  ];
}
