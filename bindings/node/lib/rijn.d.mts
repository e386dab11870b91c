// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
import * as rijn from './rijn.cjs';

export * from './rijn.cjs';
export default rijn;
