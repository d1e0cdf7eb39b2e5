/** The formats a rule can ask for by name (`format.dns1123Label()`), each a list of errors about a text. */
import {
  dns1035Name,
  labelName,
  labelValue,
  qualifiedName,
  subdomainName,
} from '../../builtin/validation/names.ts';
import { stringFormat } from '../../crd/formats.ts';
import { parseRequestUrl } from './request-url.ts';

export const NAMED_FORMATS: Readonly<Record<string, (text: string) => readonly string[]>> = {
  dns1123Label: (text) => labelName(text),
  dns1123Subdomain: (text) => subdomainName(text),
  dns1035Label: (text) => dns1035Name(text),
  qualifiedName,
  dns1123LabelPrefix: (text) => labelName(text, true),
  dns1123SubdomainPrefix: (text) => subdomainName(text, true),
  dns1035LabelPrefix: (text) => dns1035Name(text, true),
  labelValue,
  uri: (text) => {
    const parsed = parseRequestUrl(text);
    return typeof parsed === 'string' ? [parsed] : [];
  },
  uuid: asProblem('uuid', 'does not match the UUID format'),
  byte: asProblem('byte', 'invalid base64'),
  date: asProblem('date', 'invalid date'),
  datetime: asProblem('datetime', 'invalid datetime'),
};

// ---------------------------------------------------------------------------------------------------

function asProblem(format: string, problem: string): (text: string) => readonly string[] {
  const check = stringFormat(format)!;
  return (text) => (check(text) ? [] : [problem]);
}
