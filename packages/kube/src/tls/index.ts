export {
  CERTIFICATE_DAYS,
  type CertificateAuthority,
  createAuthority,
  DAY_MS,
  issueServingCertificate,
  peerIdentity,
  signCertificate,
} from './tls.ts';
export { loadX509 } from './x509-library.ts';
