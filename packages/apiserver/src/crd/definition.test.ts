import type { KubeObject } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { compile } from '../cel/compile.ts';
import { declarationOf } from '../cel/declaration.ts';
import { CompileError, compileErrorText } from '../cel/syntax.ts';
import type { Resource } from '../resource.ts';
import { aContext, causesOf, golden, normalised } from './answer.fixture.ts';
import { definitionHooks } from './definition.ts';
import { type CrdSpec, type JsonSchema, specOf, statusOf } from './types.ts';

interface DefinitionCase {
  readonly name: string;
  readonly metadata: { name: string };
  readonly spec: CrdSpec;
  readonly code: number;
  readonly causes?: string[];
  readonly warnings?: string[];
}

describe('a definition is accepted or rejected as by a real API server', () => {
  const { cases } = golden<{ cases: DefinitionCase[] }>('definitions');

  test.each(cases.map((one) => [one.name, one] as const))('%s', (_name, recorded) => {
    const crd = aDefinition(recorded.spec, recorded.metadata.name);
    const warnings: string[] = [];
    definitionHooks.prepareForCreate(crd, context(warnings));
    const causes = causesOf(definitionHooks.validateCreate(crd, context(warnings)));
    expect(causes).toEqual(normalised(recorded.causes ?? []));
    expect(warnings).toEqual(recorded.warnings ?? []);
  });
});

describe('the types in a rule are checked as by a real API server', () => {
  interface RuleCase {
    readonly rule: string;
    readonly error?: string;
  }
  const { schema, cases } = golden<{ schema: JsonSchema; cases: RuleCase[] }>('rule-types');
  const { type } = declarationOf(schema)!;

  test.each(cases.map((one) => [one.rule, one] as const))('%s', (rule, recorded) => {
    const error = compileError(rule);
    expect(error === undefined).toBe(recorded.error === undefined);
    const missing = /undefined field|undeclared reference|found no matching overload/.exec(
      recorded.error ?? '',
    );
    if (missing !== null) expect(error).toContain(missing[0]);
  });

  function compileError(rule: string): string | undefined {
    try {
      compile(rule, [
        ['self', type],
        ['oldSelf', type],
      ]);
      return undefined;
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      return compileErrorText(rule, error);
    }
  }
});

describe('a definition', () => {
  test('gets the names that follow from its kind, and no conversion', () => {
    const crd = aDefinition(aSpec());
    expect(specOf(crd).names).toEqual({
      plural: 'boats',
      kind: 'Boat',
      singular: 'boat',
      listKind: 'BoatList',
    });
    expect(specOf(crd).conversion).toEqual({ strategy: 'None' });
  });

  test('starts without names of its own, with its storage version', () => {
    const crd = aDefinition(aSpec());
    crd['status'] = { acceptedNames: { plural: 'stolen', kind: 'Stolen' } };
    definitionHooks.prepareForCreate(crd, context());
    expect(statusOf(crd)).toEqual({
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: ['v1'],
    });
    expect(crd.metadata.generation).toBe(1);
  });

  test('keeps its status and counts up its generation when the spec changes', () => {
    const current = aStored(aSpec());
    const next = aDefinition({ ...aSpec(), names: { plural: 'boats', kind: 'Boat', shortNames: ['bo'] } });
    definitionHooks.prepareForUpdate(next, current, context());
    expect(next.metadata.generation).toBe(2);
    expect(statusOf(next).storedVersions).toEqual(['v1']);
    expect(definitionHooks.validateUpdate(next, current, context())).toEqual([]);
  });

  test('remembers every version that objects were stored in', () => {
    const current = aStored(aSpec());
    const next = aDefinition({ ...aSpec(), versions: [aVersion('v1', false), aVersion('v2', true)] });
    definitionHooks.prepareForUpdate(next, current, context());
    expect(statusOf(next).storedVersions).toEqual(['v1', 'v2']);
  });

  test('cannot drop a version that objects may still be stored in', () => {
    const current = aStored(aSpec());
    const next = aDefinition({ ...aSpec(), versions: [aVersion('v2', true)] });
    definitionHooks.prepareForUpdate(next, current, context());
    const [error] = definitionHooks.validateUpdate(next, current, context());
    expect(error).toMatchObject({ field: 'status.storedVersions[0]', value: 'v1' });
    expect(error?.detail).toContain('must remain in spec.versions');
  });

  test('cannot change its scope or kind once it is established', () => {
    const current = aStored(aSpec());
    const next = aDefinition({ ...aSpec(), scope: 'Namespaced', names: { plural: 'boats', kind: 'Ship' } });
    definitionHooks.prepareForUpdate(next, current, context());
    expect(causesOf(definitionHooks.validateUpdate(next, current, context()))).toEqual([
      'FieldValueInvalid|spec.names.kind|Invalid value: "Ship": field is immutable',
      'FieldValueInvalid|spec.scope|Invalid value: "Namespaced": field is immutable',
    ]);
  });

  test('keeps its spec when only the status is written', () => {
    const current = aStored(aSpec());
    const next = aDefinition({ ...aSpec(), group: 'other.example.com' });
    definitionHooks.prepareForUpdate(next, current, context([], 'status'));
    expect(specOf(next).group).toBe('example.com');
  });
});

function context(warnings: string[] = [], subresource?: string) {
  return aContext({} as Resource, subresource === undefined ? {} : { subresource }, warnings);
}

function aVersion(name: string, storage: boolean): CrdSpec['versions'][number] {
  const schema = { openAPIV3Schema: { type: 'object', description: name } };
  return { name, served: true, storage, schema };
}

function aSpec(): CrdSpec {
  return {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'boats', kind: 'Boat' },
    versions: [aVersion('v1', true)],
  };
}

/** As decoding leaves it: what Go always writes is there. */
function aDefinition(spec: CrdSpec, name = 'boats.example.com'): KubeObject {
  const crd: KubeObject = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: structuredClone(spec),
  };
  const given = specOf(crd);
  given.group ??= '';
  given.scope ??= '';
  given.names.plural ??= '';
  given.names.kind ??= '';
  for (const { subresources, additionalPrinterColumns = [] } of given.versions) {
    if (subresources?.scale !== undefined) {
      subresources.scale.specReplicasPath ??= '';
      subresources.scale.statusReplicasPath ??= '';
    }
    for (const column of additionalPrinterColumns) column.jsonPath ??= '';
  }
  definitionHooks.defaults(crd);
  return crd;
}

function aStored(spec: CrdSpec): KubeObject {
  const crd = aDefinition(spec);
  crd.metadata.generation = 1;
  crd['status'] = {
    acceptedNames: specOf(crd).names,
    storedVersions: ['v1'],
    conditions: [{ type: 'Established', status: 'True' }],
  };
  return crd;
}
