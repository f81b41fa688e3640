"""Small files that cost a reader without limits much: of each format, what its headers, codes and lists allow."""

from bombs.arrays import NPY, NPZ, RAW
from bombs.jpeg import JPEG
from bombs.nifti import GZIP, NIFTI
from bombs.pictures import BMP, PGM
from bombs.png import PNG
from bombs.programs import DICOM, GIF, HDF5, MAT, ZARR
from bombs.tiff import TIFF
from bombs.volumes import FITS, METAIMAGE, NRRD

FORMATS = {"zarr": ZARR, "nrrd": NRRD, "mha": METAIMAGE, "fits": FITS, "npz": NPZ, "gif": GIF, "dcm": DICOM, "mat": MAT,
           "h5": HDF5, "png": PNG, "jpg": JPEG, "bmp": BMP, "pgm": PGM, "npy": NPY, "nii": NIFTI, "nii.gz": GZIP,
            "raw": RAW, "tif": TIFF}
