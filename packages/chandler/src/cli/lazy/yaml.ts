/** What verbs use of YAML when they are run: a CommonJS package, of which a bundle gives lazy imports no names. */
export { parseAllDocuments, stringify } from 'yaml';
