// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
import rijn from './rijn.cjs';

export const { seal, open, Gcm, GcmSiv, Xaes256Gcm, Xts, RijnError, RijnTypeError, implementation, version } = rijn;
export default rijn;
