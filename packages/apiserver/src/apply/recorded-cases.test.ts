/**
 * Ownership and apply against answers of a real server. Each step starts from the object that the real server had,
 * so that one difference does not hide the next.
 */
import { type KubeObject, parseApiVersion } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { definition, structureOf } from '../builtin/structures.ts';
import { ApiError } from '../errors.ts';
import { applyPatch } from '../patch/index.ts';
import type { Structure } from '../structure.ts';
import {
  type ApplyRequest,
  applyConfiguration,
  keepTimesOfNoop,
  resetFieldsOf,
  trackUpdate,
} from './index.ts';
import {
  RECORDED_CASES,
  type RecordedCase,
  type RecordedStep,
  WIDGET_PROPERTIES,
} from './recorded-cases.table.ts';

const RESOURCES: Readonly<Record<string, string>> = {
  ConfigMap: 'configmaps',
  Service: 'services',
  Deployment: 'deployments.apps',
};

const WIDGET: Structure = {
  type: 'object',
  properties: {
    ...WIDGET_PROPERTIES,
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: definition('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'),
  },
};

function requestOf(recorded: RecordedCase, step: RecordedStep, index: number): ApplyRequest {
  const { apiVersion, kind } = recorded;
  const { group, version } = parseApiVersion(apiVersion);
  const custom = kind === 'Widget' ? { hasStatus: true } : undefined;
  return {
    structure: structureOf(group, version, kind) ?? WIDGET,
    manager: step.manager,
    apiVersion,
    kind,
    subresource: step.subresource ?? '',
    now: `2024-01-01T00:00:${String(index).padStart(2, '0')}Z`,
    force: step.force ?? false,
    ...resetFieldsOf(RESOURCES[kind] ?? 'widgets.example.com', step.subresource, custom),
  };
}

/** The object as it is when owners are recorded: decoded, with what the client said of owners. */
function decoded(step: RecordedStep, current: KubeObject | undefined): KubeObject {
  const next = structuredClone(step.object as KubeObject);
  const said = step.what === 'create' || step.what === 'replace' ? (step.body as KubeObject) : current;
  if (said?.metadata.managedFields === undefined) delete next.metadata.managedFields;
  else next.metadata.managedFields = structuredClone(said.metadata.managedFields);
  // What the server fills in after it has recorded the owners of a new object.
  if (step.what === 'create' && next.kind === 'Deployment') next['status'] = {};
  return next;
}

function ownersAfter(recorded: RecordedCase, index: number, current: KubeObject | undefined): KubeObject {
  const step = recorded.steps[index] as RecordedStep;
  const request = requestOf(recorded, step, index);
  const next =
    step.what === 'apply'
      ? applyConfiguration(current, step.body as KubeObject, request)
      : decoded(step, current);
  if (step.what !== 'apply') trackUpdate(next, current, request);
  if (current !== undefined) keepTimesOfNoop(next, current);
  return next;
}

function refusalOf(run: () => unknown): Record<string, unknown> {
  try {
    run();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, reason, message, details } = error;
    const causes = details?.causes;
    return {
      code,
      ...(reason === '' ? {} : { reason }),
      message,
      ...(causes === undefined ? {} : { causes }),
    };
  }
  throw new Error('was not refused');
}

/** A real server lists the causes of a conflict in any order. */
function sortedCauses(refusal: Record<string, unknown>): Record<string, unknown> {
  const causes = refusal['causes'] as { field: string; message: string }[] | undefined;
  return causes === undefined
    ? refusal
    : {
        ...refusal,
        causes: [...causes].sort((a, b) => (a.field + a.message < b.field + b.message ? -1 : 1)),
      };
}

describe.each(RECORDED_CASES)('$name', (recorded) => {
  let current: KubeObject | undefined;
  for (const [index, step] of recorded.steps.entries()) {
    const before = current;
    const title = `${index}: ${step.what} by ${step.manager}`;
    const { refused, object } = step;
    if (refused !== undefined) {
      test(`${title} is refused`, () => {
        const refusal = refusalOf(() => ownersAfter(recorded, index, before));
        expect(sortedCauses(refusal)).toEqual(sortedCauses(refused));
      });
      continue;
    }
    current = object;
    test(`${title} leaves the same owners`, () => {
      const entries = ownersAfter(recorded, index, before).metadata.managedFields;
      expect(entries).toEqual(object?.metadata.managedFields);
      // Custom resources come back with sorted keys; built-in kinds show the order in which sets are written.
      if (recorded.kind !== 'Widget')
        expect(JSON.stringify(entries)).toBe(JSON.stringify(object?.metadata.managedFields));
    });
    if (recorded.kind !== 'ConfigMap' || before === undefined) continue;
    if (step.what === 'apply' || step.what === 'merge' || step.what === 'strategic' || step.what === 'json') {
      test(`${title} leaves the same object`, () => {
        const next =
          step.what === 'apply'
            ? ownersAfter(recorded, index, before)
            : applyPatch(step.what as 'merge', before, step.body, requestOf(recorded, step, index).structure);
        expect(withoutOwners(next)).toEqual(withoutOwners(object as KubeObject));
      });
    }
  }
});

/** Decoding drops empty parts, which is not at stake here. */
function withoutOwners({ metadata, ...rest }: KubeObject): unknown {
  const { managedFields: _, ...kept } = metadata;
  return JSON.parse(JSON.stringify({ ...rest, metadata: kept }), (_key, value) =>
    value === null || (typeof value === 'object' && Object.keys(value).length === 0) ? undefined : value,
  );
}
