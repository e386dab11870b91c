# SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause
