/** What `chandler check --fix` prints: the diff, what is left to do, and the score before and after. */
import { withoutSecrets } from '@chandler/kube';
import { escapeControls } from '../../causes/index.ts';
import type { Finding, Fixes, Report } from '../../readiness/index.ts';

export function fixText(fixes: Fixes, before: Report, write: boolean): string {
  const { diff, fixed, left, caused, broken, texts, after } = fixes;
  const lines = [
    ...(left.length === 0
      ? []
      : ['Not fixed:', ...left.map(({ finding, why }) => `  ${about(finding)}: ${why}. ${finding.fix}`)]),
    ...(isHarmless(fixes)
      ? []
      : [
          'The changes would cause:',
          ...broken.map((text) => `  ${text}`),
          ...caused.map((finding) => `  ${about(finding)}: ${finding.message}`),
        ]),
    `${fixed.length} findings fixed in ${texts.size} files, ${left.length} left. Readiness: ${percent(before)}, then ${percent(after)}.`,
    outcome(fixes, write),
  ];
  return withoutSecrets(escapeControls(`${diff}${diff === '' ? '' : '\n'}${lines.join('\n')}\n`));
}

/** Otherwise nothing is written. */
export function isHarmless({ caused, broken }: Fixes): boolean {
  return caused.length === 0 && broken.length === 0;
}

// ---------------------------------------------------------------------------------------------------

function outcome(fixes: Fixes, write: boolean): string {
  if (fixes.texts.size === 0) return 'Nothing can be fixed here.';
  if (!isHarmless(fixes)) return 'Nothing is written.';
  return write
    ? 'Written. What the files were before is in FILE.bak, or in FILE.bak.1 and so on if that existed.'
    : 'Nothing is written; --fix --write does it.';
}

function about({ id, object }: Finding): string {
  return object === undefined ? id : `${id} ${object}`;
}

function percent({ score }: Report): string {
  return score.percent === undefined ? 'not judged' : `${score.percent} %`;
}
