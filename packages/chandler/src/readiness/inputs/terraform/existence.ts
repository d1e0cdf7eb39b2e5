/**
 * Whether Terraform makes a resource or calls a module at all: `count = 0` and `for_each = {}` make none, and what a condition
 * decides that is not known may or may not be there.
 */
import { type Tree, textOf } from '../../model/tree.ts';
import type { HclBody, HclExpression } from './hcl-syntax.ts';

export type Existence = 'there' | 'absent' | 'unknown';

/** @param lookUp the value of `var.create` or `local.create`. */
export function existenceOf({ attributes }: HclBody, lookUp: (steps: readonly string[]) => Tree): Existence {
  for (const name of ['count', 'for_each']) {
    const value = attributes.get(name)?.value;
    const found = value === undefined ? 'there' : existence(value, lookUp);
    if (found !== 'there') return found;
  }
  return 'there';
}

/** Its values are not known while it is not known whether it exists. */
export function uncertain({ at }: Tree): Tree {
  return { kind: 'unknown', why: 'exists only if a condition holds that is not known', at };
}

// ---------------------------------------------------------------------------------------------------------------

/** `var.create ? 1 : 0`, also with `!`, and with parentheses around the condition. */
const CONDITION = /^\(?\s*(!?)\s*((?:var|local)\.[\w-]+)\s*\)?\s*\?\s*([^:?]+?)\s*:\s*([^:?]+?)$/;
const NONE = /^(0|\[\s*\]|\{\s*\}|toset\(\[\s*\]\)|tomap\(\{\s*\}\)|null)$/;

function existence(value: HclExpression, lookUp: (steps: readonly string[]) => Tree): Existence {
  switch (value.kind) {
    case 'literal':
      return value.value === 0 || value.value === false ? 'absent' : 'there';
    case 'list':
      return value.items.length === 0 ? 'absent' : 'there';
    case 'object':
      return value.entries.length === 0 ? 'absent' : 'there';
    case 'reference': {
      const steps = value.steps.map(String);
      const tree = value.steps.length === 2 && /^(var|local)$/.test(steps[0]!) ? lookUp(steps) : undefined;
      return tree?.kind === 'scalar' && tree.value === 0 ? 'absent' : 'there';
    }
    case 'other':
      return chosen(value.text, lookUp);
    default:
      return 'there';
  }
}

/** What a condition chooses. Without a condition there are as many as something else has, which is some. */
function chosen(text: string, lookUp: (steps: readonly string[]) => Tree): Existence {
  if (!/\?/.test(text)) return 'there';
  const [, not, name = '', yes = '', no = ''] = CONDITION.exec(text) ?? [];
  const isNone = { true: NONE.test(yes), false: NONE.test(no) };
  const condition = name === '' ? undefined : textOf(lookUp(name.split('.')));
  if (condition !== 'true' && condition !== 'false')
    return name !== '' && !isNone.true && !isNone.false ? 'there' : 'unknown';
  const holds = (condition === 'true') !== (not === '!');
  return (holds ? isNone.true : isNone.false) ? 'absent' : 'there';
}
