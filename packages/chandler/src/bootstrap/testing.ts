export { aNodeInput } from './bootstrap.fixture.ts';
export { LINUX_CODES } from './cse/codes.table.ts';
export { anEksInput, type EksInputOverrides } from './eks/eks.fixture.ts';
export { goldenScript, withVariables } from './golden-script.fixture.ts';
