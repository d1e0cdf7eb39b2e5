/**
 * Faults over HTTP, for curl and for the page: list, add, remove. Available to everyone who can reach the loopback address.
 */
import type { ArmAnswer, ArmRequest, ArmRoute } from '../wire/arm-request.ts';
import type { ArmContext } from '../wire/context.ts';
import { armError, invalidParameter } from '../wire/errors.ts';
import { FAULTS } from './catalogue.table.ts';
import type { Fault, FaultRegister, FaultSpec } from './fault.ts';
import { FaultSyntaxError } from './parse-fault.ts';

export function faultRoutes({ faults }: ArmContext): readonly ArmRoute[] {
  const open = { apiVersions: [], access: 'open' } as const;
  return [
    {
      ...open,
      method: 'GET',
      pattern: '/playground/faults',
      handle: () => ({ status: 200, body: { faults: faults.list(), known: FAULTS } }),
    },
    {
      ...open,
      method: 'POST',
      pattern: '/playground/faults',
      anyBody: true,
      handle: (request) => added(faults, request),
    },
    {
      ...open,
      method: 'DELETE',
      pattern: '/playground/faults',
      handle: () => {
        faults.clear();
        return { status: 204 };
      },
    },
    {
      ...open,
      method: 'DELETE',
      pattern: '/playground/faults/{id}',
      handle: ({ params }) => {
        if (faults.remove(params['id']!) === 0)
          throw armError(404, 'NotFound', `fault '${params['id']}' is not active`);
        return { status: 204 };
      },
    },
  ];
}

// ---------------------------------------------------------------------------------------------------

/** A JSON object, a JSON list of objects, or the short text. */
function added(faults: FaultRegister, request: ArmRequest): ArmAnswer {
  try {
    const given = parsed(request.text);
    const specs = Array.isArray(given) ? given : [given];
    const result: Fault[] = [];
    for (const spec of specs) result.push(faults.add(spec as FaultSpec | string));
    return { status: 201, body: { faults: result } };
  } catch (error) {
    if (error instanceof FaultSyntaxError) throw invalidParameter('fault', error.message);
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text.trim();
  }
}
