/**
 * Keeps the last commands with their outcome in one ConfigMap. Commands that end together are written together.
 * `diagnose/kept-commands.ts` decides what is kept.
 */
import type { KubeObject } from '@chandler/kube';
import { CONFIG_MAPS, Controller, isApiError, itemBackoff, type Result } from '@chandler/kube';
import {
  KEPT_COMMANDS_NAME,
  keptCommandsPatch,
  keptCommandText,
  MAX_KEPT_COMMANDS,
} from '../../diagnose/index.ts';
import { type ControllerContext, type ReconcileScope, scopeOf } from '../context.ts';
import type { CommandRecord } from './command-record.ts';
import type { Outcome } from './execution-reporter.ts';

/** The key of all commands together. */
const ALL_COMMANDS = '*';

export class CommandHistory {
  readonly controller: Controller;
  readonly #context: ControllerContext;
  /** By id, until they are written. */
  readonly #unwritten = new Map<string, string>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.controller = new Controller({
      name: 'disruption.history',
      world: context.world,
      limiter: itemBackoff({ baseMs: 1_000, maxMs: 60_000 }),
      reconcile: (_, run) => this.#write(scopeOf(context, run)),
    });
  }

  note(record: CommandRecord, outcome: Outcome, message: string | undefined): void {
    const { id, reason, method, decision, priceBefore, priceAfter, podsMoved, candidates } = record;
    const text = keptCommandText({
      id,
      startedAt: new Date(record.startedAtMs).toISOString(),
      endedAt: new Date(this.#context.world.clock.now()).toISOString(),
      reason,
      method,
      decision,
      nodes: candidates.map(({ node }) => node),
      nodePools: [...new Set(candidates.map(({ nodePool }) => nodePool))],
      replacements: record.replacements.map(({ metadata }) => metadata.name),
      priceBefore,
      priceAfter,
      podsMoved,
      outcome,
      ...(message === undefined ? {} : { message }),
    });
    this.#unwritten.set(id, text);
    // More are not kept in the ConfigMap either.
    const [oldest] = this.#unwritten.size > MAX_KEPT_COMMANDS ? this.#unwritten.keys() : [];
    if (oldest !== undefined) this.#unwritten.delete(oldest);
    this.controller.enqueue(ALL_COMMANDS);
  }

  async #write({ client, settings }: ReconcileScope): Promise<Result> {
    if (this.#unwritten.size === 0) return {};
    const key = { namespace: settings.namespace, name: KEPT_COMMANDS_NAME };
    const taken = new Map(this.#unwritten);
    const found = await client.find(CONFIG_MAPS, key);
    const patch = keptCommandsPatch((found?.['data'] ?? {}) as Readonly<Record<string, string>>, taken);
    if (patch !== undefined && found === undefined) {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: key, data: patch };
      try {
        await client.create(CONFIG_MAPS, object as unknown as KubeObject);
      } catch (error) {
        // Another writer created it: the next attempt adds to it.
        if (!isApiError(error, 'alreadyExists')) throw error;
        throw new Error(`${KEPT_COMMANDS_NAME} was created in the meantime`, { cause: error });
      }
    } else if (patch !== undefined) {
      const metadata = { resourceVersion: found?.metadata.resourceVersion };
      await client.patch(CONFIG_MAPS, key, { type: 'merge', patch: { metadata, data: patch } });
    }
    for (const id of taken.keys()) this.#unwritten.delete(id);
    return {};
  }
}
