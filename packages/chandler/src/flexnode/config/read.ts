/**
 * Converts the text of a config file to a `FlexConfig`: syntax, then keys and types, then rules, then defaults. All
 * problems are reported together; a rule about several values is checked only if each value is valid.
 */
import { assemble } from './assemble.ts';
import type { ConfigProblem, ConfigReading, ConfigSource, Surroundings } from './config-result.ts';
import { Draft } from './draft.ts';
import { parseJson } from './json-text.ts';
import { CONFIG_ROWS, IGNORED_KEYS } from './keys.table.ts';
import { ERRORS, type Rule, WARNINGS } from './rules.ts';
import { modeProblem, secretProblem } from './secret.ts';
import { walkConfig } from './walk.ts';

export type {
  ConfigProblem,
  ConfigReading,
  ConfigSource,
  SecretFile,
  Surroundings,
} from './config-result.ts';
export { DEFAULT_CONFIG_PATH } from './default-path.ts';

export function readConfig(source: ConfigSource, surroundings: Surroundings): ConfigReading {
  if (/^\uFFFD|\0/.test(source.text)) {
    const suggestion = 'save the file as UTF-8, not as UTF-16';
    return refused([{ path: '', line: 1, message: 'not JSON: the file is not UTF-8 text', suggestion }]);
  }
  const json = parseJson(source.text);
  if (!json.ok) {
    const { line, column, message, suggestion } = json;
    return refused([
      {
        path: '',
        line,
        message: `not JSON: ${message} (column ${column})`,
        ...(suggestion === undefined ? {} : { suggestion }),
      },
    ]);
  }
  if (json.root.kind !== 'object')
    return refused([{ path: '', line: json.root.line, message: 'the file must contain an object: { … }' }]);
  const walked = walkConfig(json.root, CONFIG_ROWS, IGNORED_KEYS);
  const draft = new Draft(walked);
  const repeated = json.repeated.map(({ path, line, firstLine }) => ({
    path,
    line,
    message: `duplicate key ${path} (first in line ${firstLine})`,
    suggestion: 'remove one of them',
  }));
  const alone = [...repeated, ...walked.problems, ...known(modeProblem(source, walked.secret))];
  const problems = [
    ...alone.map((problem) => withHint(problem, draft)),
    ...known(secretProblem(draft, surroundings)),
    ...(alone.length === 0 ? ask(ERRORS, draft, surroundings) : []),
  ];
  const warnings = [...walked.warnings, ...ask(WARNINGS, draft, surroundings)];
  if (problems.length > 0) return refused(problems, warnings);
  return { ok: true, config: assemble(draft, surroundings), warnings };
}

// ---------------------------------------------------------------------------------------------------

/** Where the file itself says what is probably wanted. */
function withHint(problem: ConfigProblem, draft: Draft): ConfigProblem {
  if (problem.message === 'azure.subscriptionId is required') {
    const subscription = draft.text('azure.targetCluster.resourceId')?.split('/')[2];
    if (subscription !== undefined)
      return { ...problem, suggestion: `the subscription of the cluster is "${subscription}"` };
  }
  if (problem.message === 'azure.servicePrincipal.tenantId is required') {
    const tenant = draft.text('azure.tenantId');
    if (tenant !== undefined)
      return {
        ...problem,
        suggestion: `add "tenantId": "${tenant}" next to clientId if the service principal belongs to that tenant`,
      };
  }
  return problem;
}

function ask(rules: readonly Rule[], draft: Draft, surroundings: Surroundings): ConfigProblem[] {
  return rules.flatMap((rule) => known(rule(draft, surroundings)));
}

function known<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}

function refused(problems: readonly ConfigProblem[], warnings: readonly ConfigProblem[] = []): ConfigReading {
  return { ok: false, problems: problems.toSorted((one, other) => one.line - other.line), warnings };
}
