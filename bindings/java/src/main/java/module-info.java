// SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
/** A JCA provider of AES-GCM, AES-GCM-SIV, AES-CTR, AES-XTS and GMAC. */
module org.rijn.jca {
  exports org.rijn.jca;

  provides java.security.Provider with
      org.rijn.jca.RijnProvider;
}
