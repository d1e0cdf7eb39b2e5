/**
 * Faults over HTTP, for curl: list, add, remove. Calls need the secret of the run, because every user of the machine can
 * reach the loopback address.
 */
import { timingSafeEqual } from 'node:crypto';
import type { ArmAnswer, ArmRequest, ArmRoute } from '../wire/arm-request.ts';
import type { ArmContext } from '../wire/context.ts';
import { armError, invalidParameter } from '../wire/errors.ts';
import { FAULTS } from './catalogue.table.ts';
import type { Fault, FaultRegister, FaultSpec } from './fault.ts';
import { FaultSyntaxError } from './parse-fault.ts';

export function faultRoutes({ faults }: ArmContext, secret: string): readonly ArmRoute[] {
  // Not a management call: the routes check the secret themselves.
  const own = { apiVersions: [], access: 'open' } as const;
  const routes: readonly ArmRoute[] = [
    {
      ...own,
      method: 'GET',
      pattern: '/playground/faults',
      handle: () => ({ status: 200, body: { faults: faults.list(), known: FAULTS } }),
    },
    {
      ...own,
      method: 'POST',
      pattern: '/playground/faults',
      anyBody: true,
      handle: (request) => added(faults, request),
    },
    {
      ...own,
      method: 'DELETE',
      pattern: '/playground/faults',
      handle: () => {
        faults.clear();
        return { status: 204 };
      },
    },
    {
      ...own,
      method: 'DELETE',
      pattern: '/playground/faults/{id}',
      handle: ({ params }) => {
        if (faults.remove(params['id']!) === 0)
          throw armError(404, 'NotFound', `fault '${params['id']}' is not active`);
        return { status: 204 };
      },
    },
  ];
  return routes.map((route) => ({
    ...route,
    handle(request) {
      requireSecret(request, secret);
      return route.handle(request);
    },
  }));
}

// ---------------------------------------------------------------------------------------------------

function requireSecret({ headers }: ArmRequest, secret: string): void {
  const given = Buffer.from(headers['authorization'] ?? '');
  const expected = Buffer.from(`Bearer ${secret}`);
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  throw armError(
    401,
    'AuthenticationFailed',
    'This call needs the secret of this playground: curl -H @fault-header, a file beside azure.env that only its owner can read',
  );
}

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
