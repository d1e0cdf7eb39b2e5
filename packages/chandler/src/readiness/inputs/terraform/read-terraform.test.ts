import { describe, expect, test } from 'vitest';
import { type Tree, textOf } from '../../model/tree.ts';
import { entryOf } from './evaluate.ts';
import { readTerraform } from './read-terraform.ts';

const read = (files: Readonly<Record<string, string>>) =>
  readTerraform(
    Object.entries(files).map(([name, text]) => ({ name, text })),
    new Set(),
  );

/** The attribute `x` of the only resource. */
const valueIn = (files: Readonly<Record<string, string>>): Tree | undefined => {
  const [resource] = read(files).resources.filter(({ type }) => type === 'r');
  return entryOf(resource?.values, 'x');
};

describe('values of Terraform files', () => {
  test.each([
    ['a literal', 'x = "a"', 'a'],
    ['a local', 'x = local.name', 'shop-prod'],
    ['a text with references', `x = "p-\${local.name}-\${var.size}"`, 'p-shop-prod-3'],
    ['a variable with a default', 'x = var.size', '3'],
    ['an entry of a map', 'x = local.map["a/b"]', 'c'],
    ['an entry of a list', 'x = local.list[1]', 'two'],
    ['an attribute of another resource', 'x = other.a.name', 'shop-prod'],
    ['an interpolation alone', `x = "\${var.size}"`, '3'],
  ])('%s is known', (_, attribute, expected) => {
    expect(textOf(valueIn({ 'main.tf': file(attribute) }))).toBe(expected);
  });

  test.each([
    ['a variable without a value', 'x = var.none', 'depends on var.none'],
    ['a data source', 'x = data.aws_region.current.name', 'data.aws_region.current'],
    ['what is known after apply', 'x = other.a.arn', 'known only after apply'],
    ['a function', 'x = lower("A")', 'a result of the function lower'],
    ['a condition', 'x = var.size > 2 ? "a" : "b"', 'is computed'],
    ['a text with an unknown part', `x = "a-\${var.none}"`, 'depends on var.none'],
    ['a name that depends on itself', 'x = local.circle', 'depends on itself'],
    ['what a loop sets', 'x = each.value', 'which Terraform sets when it runs'],
    ['a name that does not exist', 'x = local.nothing', 'not defined'],
  ])('%s is unknown, and says why', (_, attribute, why) => {
    expect(valueIn({ 'main.tf': file(attribute) })).toMatchObject({
      kind: 'unknown',
      why: expect.stringContaining(why),
    });
  });

  test('files of variables win over defaults, and the last one wins', () => {
    const files = {
      'main.tf': file('x = var.size'),
      'terraform.tfvars': 'size = 4\n',
      'b.auto.tfvars': 'size = 5\n',
    };
    expect(textOf(valueIn(files))).toBe('5');
    expect(textOf(valueIn({ ...files, 'other.tfvars': 'size = 6\n' }))).toBe('5');
  });

  test('modules of the same repository get their arguments and give their outputs', () => {
    const { resources, moduleCalls } = read({
      'env/main.tf':
        'module "m" {\n  source = "../modules/m"\n  name = "shop"\n}\nresource "r" "a" {\n  x = module.m.out\n}\n',
      'modules/m/main.tf': `variable "name" {}\nresource "r" "inner" {\n  x = "in-\${var.name}"\n}\noutput "out" {\n  value = r.inner.x\n}\n`,
    });
    expect(resources.map(({ address, values }) => [address, textOf(entryOf(values, 'x'))])).toEqual([
      ['module.m.r.inner', 'in-shop'],
      ['r.a', 'in-shop'],
    ]);
    expect(moduleCalls).toEqual([]);
  });

  test('modules that call each other end', () => {
    const { rootModules } = read({
      'a/main.tf': 'module "self" {\n  source = "./"\n}\nmodule "again" {\n  source = "../a"\n}\n',
    });
    expect(rootModules).toHaveLength(1);
  });

  test('a module of a registry is a call with its arguments', () => {
    const { moduleCalls } = read({
      'main.tf':
        'module "eks" {\n  source = "terraform-aws-modules/eks/aws"\n  version = "21.0.0"\n  name = "shop"\n}\n',
    });
    expect(moduleCalls).toMatchObject([
      { address: 'module.eks', version: '21.0.0', at: { file: 'main.tf', line: 1 } },
    ]);
    expect(textOf(entryOf(moduleCalls[0]!.arguments, 'name'))).toBe('shop');
  });

  test('a module that does not exist is missing', () => {
    const { rootModules } = read({ 'main.tf': 'module "m" {\n  source = "./nowhere"\n}\n' });
    expect(rootModules).toMatchObject([{ missingModules: [{ source: './nowhere', at: { line: 1 } }] }]);
  });

  test('a module outside of the folders that are checked is a call, not missing', () => {
    const { rootModules, moduleCalls } = read({ 'main.tf': 'module "m" {\n  source = "../m"\n}\n' });
    expect(rootModules).toMatchObject([{ missingModules: [] }]);
    expect(moduleCalls).toMatchObject([{ address: 'module.m' }]);
  });

  test('tags are found through merge(), unless a later argument is unknown', () => {
    const tags = (text: string) => valueIn({ 'main.tf': file(`x = ${text}`) });
    expect(textOf(entryOf(tags('merge(var.none, { a = "b" })'), 'a'))).toBe('b');
    expect(entryOf(tags('merge({ a = "b" }, var.none)'), 'a')).toMatchObject({ kind: 'unknown' });
    expect(entryOf(tags('merge({ a = "b" }, {})'), 'c')).toBeUndefined();
  });

  test('a broken file is a problem with its line, and the others are read', () => {
    const { problems, resources } = read({
      'a.tf': 'resource "r" "a" {\n',
      'b.tf': 'resource "r" "b" {\n}\n',
    });
    expect(problems).toMatchObject([{ at: { file: 'a.tf', line: 2 }, level: 'error' }]);
    expect(resources.map(({ address }) => address)).toEqual(['r.b']);
  });
});

function file(attribute: string): string {
  return `locals {
  name   = "shop-\${local.stage}"
  stage  = "prod"
  map    = { "a/b" = "c" }
  list   = ["one", "two"]
  circle = "\${local.circle}"
}
variable "size" {
  default = 3
}
variable "none" {}
resource "other" "a" {
  name = local.name
}
resource "r" "a" {
  ${attribute}
}
`;
}
