/** Every function that a Kubernetes rule may call: CEL's own and the libraries, overloads of one name put together. */
import type { FunctionTable, Overload } from '../overloads.ts';
import { addresses } from './addresses.ts';
import { kubernetes } from './kubernetes.ts';
import { lists } from './lists.ts';
import { operators } from './operators.ts';
import { optionals } from './optionals.ts';
import { strings } from './strings.ts';

export const functions: FunctionTable = merged([operators, strings, lists, optionals, addresses, kubernetes]);

// ---------------------------------------------------------------------------------------------------

function merged(tables: readonly FunctionTable[]): FunctionTable {
  const all = new Map<string, Overload[]>();
  for (const table of tables) {
    for (const [name, overloads] of table) all.set(name, [...(all.get(name) ?? []), ...overloads]);
  }
  return all;
}
