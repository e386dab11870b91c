// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
//! Nothing: what there is are the tests of rustls-rijn, over the provider of a feature.
