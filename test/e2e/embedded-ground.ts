/**
 * The cluster of the story inside one process, in virtual time: API server, stand-ins and ARM server, and an operator
 * that authenticates as its own service account only.
 */
import './loaded-modules.ts';
import type { CatalogueOptions } from '@chandler/cloudsim/azure/testing';
import { fetchTransport, type KubeObject, type ResourceRef, type Transport } from '@chandler/kube';
import type { Operator } from '../../packages/chandler/src/operator/index.ts';
import { type AzureStage, azureStage, FEW_SIZES, type GivenOperator } from '../operator/azure-stage.ts';
import { type Asked, recorded } from '../operator/request-log.ts';
import { recordingFetch } from './role-use.ts';
import type { Ground } from './story.ts';

export interface EmbeddedGround extends Ground {
  readonly stage: AzureStage;
  /** Every request of operators, with what was answered. */
  readonly asked: readonly Asked[];
  readonly lines: readonly string[];
  /** The wire of operators to the API server. */
  readonly transport: Transport;
  /** Starts it under the account of deploy/rbac.yaml, and waits until it leads. */
  startOperator(given?: GivenOperator): Promise<Operator>;
  find(resource: ResourceRef, name: string): Promise<KubeObject | undefined>;
  end(): Promise<void>;
}

export interface GroundOptions {
  /** Default: one family, so that plans are quick. */
  readonly catalogue?: CatalogueOptions;
  /** Phases are kept and not printed: for stories that are meant to fail. Default false. */
  readonly quiet?: boolean;
  /** How far time moves at once. Default 500 ms. */
  readonly stepMs?: number;
}

export async function embeddedGround(options: GroundOptions = {}): Promise<EmbeddedGround> {
  const { catalogue = FEW_SIZES, quiet = false, stepMs = 500 } = options;
  const stage = await azureStage(catalogue);
  const asked: Asked[] = [];
  const lines: string[] = [];
  const transport: Transport = recorded(
    fetchTransport(recordingFetch(stage.playground.server, stage.playground.azure!.bootstrapToken)),
    asked,
  );
  return {
    stage,
    asked,
    lines,
    transport,
    arm: stage.arm,
    diskEncryptionSetId: stage.azure.byok.diskEncryptionSetId,
    nowMs: () => stage.world.clock.now(),
    pause: () => stage.world.clock.advance(stepMs),
    say(line) {
      lines.push(line);
      if (!quiet) console.log(line);
    },
    apply: (resource, object) => stage.apply(resource, object),
    remove: (resource, name, namespace) =>
      stage.inTime(stage.admin.delete(resource, { name, ...(namespace === undefined ? {} : { namespace }) })),
    list: (resource) => stage.list(resource),
    async startOperator(given = {}) {
      const operator = stage.operator({ transport, ...given });
      await stage.inTime(operator.start());
      await stage.until('it leads', () => operator.isLeading);
      return operator;
    },
    async find(resource, name) {
      return (await stage.list(resource)).find(({ metadata }) => metadata.name === name);
    },
    end: () => stage.end(),
  };
}
