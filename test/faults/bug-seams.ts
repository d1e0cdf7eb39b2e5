/**
 * How a deliberate bug is injected: between a process and its connections, its cloud, or its cluster state.
 */
import type { Controller, Fetch } from '@chandler/kube';
import type { Cloud } from '../../packages/chandler/src/cloud/index.ts';
import type { ControllerContext } from '../../packages/chandler/src/controllers/index.ts';

import type { InstanceType } from '../../packages/chandler/src/scheduling/index.ts';
import { TURN_MS } from './disruption-workload.ts';
import type { KillableWorld } from './killable-world.ts';
import type { Seams } from './process.ts';
import { bodyOf, isWatch, methodOf, pathOf, urlOf } from './request.ts';

/** Replaces methods of the cloud. */
export function withCloud(
  change: (cloud: Cloud, world: KillableWorld) => Partial<Cloud>,
): NonNullable<Seams['parts']> {
  return (parts, world) => ({
    ...parts,
    cloud: { ...parts.cloud, ...change(parts.cloud, world) },
  });
}

/** The cloud tells other prices, from the middle of the workload on. */
export function withPrices(priceOf: (type: string, world: KillableWorld) => number | undefined) {
  return withCloud((cloud, world) => ({
    async instanceTypes(request, signal) {
      const types = await cloud.instanceTypes(request, signal);
      if (world.clock.monotonic() < TURN_MS) return types;
      return types.map((type): InstanceType => {
        const price = priceOf(type.name, world);
        return price === undefined
          ? type
          : { ...type, offerings: type.offerings.map((offering) => ({ ...offering, price })) };
      }) as typeof types;
    },
  }));
}

export function without(...names: readonly string[]): NonNullable<Seams['controllers']> {
  return (all: readonly Controller[]) => all.filter(({ name }) => !names.includes(name));
}

export interface Outgoing {
  readonly method: string;
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are of every shape.
  readonly body: any;
}

/** Modifies write requests. Undefined: unchanged. */
export function rewriting(
  change: (request: Outgoing, world: KillableWorld) => Partial<Outgoing> | undefined,
): NonNullable<Seams['kubeFetch']> {
  return (send, world) => (input, init) => {
    const method = methodOf(init);
    if (method === 'GET') return send(input, init);
    const path = pathOf(input);
    const changed = change({ method, path, body: bodyOf(init) }, world);
    if (changed === undefined) return send(input, init);
    const url = urlOf(input).replace(path, changed.path ?? path);
    const body = changed.body === undefined ? {} : { body: JSON.stringify(changed.body) };
    return send(url, { ...init, method: changed.method ?? method, ...body });
  };
}

/** Modifies objects that are read, from a time on. */
export function blind(what: RegExp, instead: string, fromMs = 0): NonNullable<Seams['kubeFetch']> {
  return (send, { clock }) =>
    async (input, init) => {
      const answer = await send(input, init);
      if (answer.status !== 200 || answer.body === null) return answer;
      const { status, headers } = answer;
      const modified = (text: string) => (clock.monotonic() < fromMs ? text : text.replace(what, instead));
      if (!isWatch(input)) return new Response(modified(await answer.text()), { status, headers });
      const decoder = new TextDecoder();
      const encoder = new TextEncoder();
      const body = (answer.body as ReadableStream<Uint8Array>).pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform: (chunk, controller) =>
            controller.enqueue(encoder.encode(modified(decoder.decode(chunk, { stream: true })))),
        }),
      );
      return new Response(body, { status, headers });
    };
}

/** Leaves out matching objects of lists and watches whose path matches. */
export function hiding(where: RegExp, what: RegExp): NonNullable<Seams['kubeFetch']> {
  return (send) => async (input, init) => {
    const answer = await send(input, init);
    if (answer.status !== 200 || answer.body === null || !where.test(pathOf(input))) return answer;
    const { status, headers } = answer;
    const isHidden = (object: unknown) => what.test(JSON.stringify(object));
    if (!isWatch(input)) {
      const list = (await answer.json()) as { readonly items?: readonly unknown[] };
      const items = list.items?.filter((item) => !isHidden(item));
      return new Response(JSON.stringify(items === undefined ? list : { ...list, items }), {
        status,
        headers,
      });
    }
    const decoder = new TextDecoder();
    const encoder = new TextEncoder();
    let rest = '';
    const body = (answer.body as ReadableStream<Uint8Array>).pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
          rest = lines.pop() ?? '';
          const kept = lines.filter((line) => line !== '' && !what.test(line));
          if (kept.length > 0) controller.enqueue(encoder.encode(`${kept.join('\n')}\n`));
        },
      }),
    );
    return new Response(body, { status, headers });
  };
}

/** Modifies the text of every answer. */
export function replacing(what: RegExp, instead: string): NonNullable<Seams['cloudFetch']> {
  return (send) => async (input, init) => {
    const answer = await send(input, init);
    if (answer.body === null) return answer;
    const { status, headers } = answer;
    return new Response((await answer.text()).replace(what, instead), { status, headers });
  };
}

/** Drops matching writes; the process sees them succeed. */
export function swallowing(what: RegExp): NonNullable<Seams['kubeFetch']> {
  return (send) => async (input, init) => {
    const body = bodyOf(init);
    if (body === undefined || !what.test(JSON.stringify(body))) return send(input, init);
    return new Response(JSON.stringify(body), {
      status: 201,
      headers: { 'content-type': 'application/json' },
    });
  };
}

/** Runs code with every request. */
export function beside(
  act: (world: KillableWorld, request: Outgoing) => void,
): (send: Fetch, world: KillableWorld) => Fetch {
  return (send, world) => (input, init) => {
    const path = pathOf(input);
    act(world, {
      method: methodOf(init),
      path,
      body: path.includes('/oauth2/') ? undefined : bodyOf(init),
    });
    return send(input, init);
  };
}

/** The cluster state with some methods replaced. */
export function withCluster(
  change: (cluster: ControllerContext['cluster']) => Partial<ControllerContext['cluster']>,
): NonNullable<Seams['context']> {
  return (context) => {
    const changes = change(context.cluster) as { [name: string | symbol]: unknown };
    const cluster = new Proxy(context.cluster, {
      get(target, name) {
        const value = name in changes ? changes[name] : (Reflect.get(target, name, target) as unknown);
        return typeof value === 'function' ? (value as (...args: unknown[]) => unknown).bind(target) : value;
      },
    });
    return { ...context, cluster };
  };
}
