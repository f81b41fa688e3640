"""Whether the words with which a file is refused are true of that file: each kind of refusal is held against what others find in it."""

import contextlib
import gzip
import os
import re
import resource
import struct
import zipfile

import h5py
import nibabel
import numpy
import pydicom
import scipy.io
import tifffile
from astropy.io import fits
from PIL import Image

import of_pydicom

# By Pillow's names of what is read here, and by what it calls formats that are refused by their names.
READ_HERE = {"PNG", "TIFF", "JPEG", "MPO", "BMP", "PPM", "GIF", "FITS"}
NAMED = {"WebP": {"WEBP"}, "JPEG 2000": {"JPEG2000"}, "HEIF or AVIF": {"AVIF", "HEIF"}, "Photoshop": {"PSD"}, "PostScript": {"EPS"}, "Windows": {"ICO", "CUR"},
         "icon of macOS": {"ICNS"}, "DirectDraw": {"DDS"}, "Silicon Graphics": {"SGI"}, "QOI": {"QOI"}, "Sun raster": {"SUN"}, "PDF": {"PDF"}}
# Pillow opens no file of these, or not each; the first bytes are the format's own.
BEGINNINGS = {"WebP": rb"RIFF....WEBP", "JPEG 2000": rb"\0\0\0\x0cjP  |\xff\x4f\xff\x51", "HEIF or AVIF": rb"....ftyp", "Photoshop": rb"8BPS", "PostScript": rb"%!|\xc5\xd0\xd3\xc6",
              "Windows": rb"\0\0[\1\2]\0", "icon of macOS": rb"icns", "DirectDraw": rb"DDS ", "Silicon Graphics": rb"\x01\xda", "QOI": rb"qoif", "Sun raster": rb"\x59\xa6\x6a\x95",
              "PDF": rb"%PDF", "OLE": rb"\xd0\xcf\x11\xe0", "PFM": rb"P[Ff][\r\n\t ]", "PBM": rb"P[14]\s", "NetCDF": rb"CDF[\1\2\5]", "HTML or XML": rb"(?:\xef\xbb\xbf)?\s*<",
              "JSON": rb"\s*[\[{]"}


@contextlib.contextmanager
def little_memory():
    """Others take what a header asks for: terabytes end this process and others of the machine, where too little memory is an error."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


class Facts:
    """What others find in a file."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.head = file.read(4096)
        self.pillow, self.whole = "", False   # its name of the format, and whether it reads all frames to their ends
        try:
            with Image.open(path) as image:
                self.pillow = image.format
                for frame in range(getattr(image, "n_frames", 1)):
                    image.seek(frame)
                    image.load()
                self.whole = True
        except Exception:
            pass

    def is_dicom(self):
        return self.head[128:132] == b"DICM"

    def dicom(self):
        return pydicom.dcmread(self.path, force=True)

    def is_nifti(self):
        """Whether nibabel reads all of it."""
        try:
            image = nibabel.load(self.path)
            numpy.asarray(image.dataobj)
            return isinstance(image, (nibabel.Nifti1Image, nibabel.Nifti2Image))
        except Exception:
            return False

    def is_text(self):
        try:
            self.head[:1024].decode("utf-8")
        except UnicodeDecodeError as error:
            if error.start < 1000:
                return False
        return not re.search(rb"[\0-\x08\x0e-\x1a]", self.head[:1024])

    def others_read_it(self):
        """Somebody whose format is read here has all of it."""
        if self.pillow in READ_HERE and self.whole or self.is_nifti():
            return True
        if self.is_dicom():
            try:
                of_pydicom.array_of(self.path)
                return True
            except Exception:
                return False
        for reads in (lambda: h5py.File(self.path).close(), lambda: scipy.io.loadmat(self.path), self.fits_images):
            try:
                if reads() is not False:
                    return True
            except Exception:
                continue
        return False

    def fits_images(self):
        """All data of a FITS file; False where it has none."""
        if self.head[:6] != b"SIMPLE":
            return False
        with fits.open(self.path) as units:
            units.verify("exception")
            return [unit.data is None for unit in units]

    def pages(self):
        with tifffile.TiffFile(self.path) as file:
            return [(page.shape, page.dtype, page.photometric, page.bitspersample, page.compression, page.samplesperpixel) for page in file.pages]


def holds_nothing_known(facts, _):
    head = facts.head
    known = head[:8] == b"\x89HDF\r\n\x1a\n" or head[:6] == b"\x93NUMPY" or head[:4] == b"NRRD" or zipfile.is_zipfile(facts.path) and head[:2] == b"PK"
    # A FITS or a TIFF file by its beginning alone: Pillow opens none that it cannot describe.
    return not known and facts.pillow not in READ_HERE and not facts.is_dicom() and not facts.is_nifti()


def packed_and_unknown(facts, _):
    with gzip.open(facts.path) as file:
        inside = file.read(352)
    return inside[344:347] not in (b"n+1", b"ni1") and inside[4:7] not in (b"n+2", b"ni2") and inside[:4] != b"\0\0\0\1"


def no_picture(facts, _):
    data = facts.dicom()
    return "Rows" not in data or not any(name in data for name in ("PixelData", "FloatPixelData", "DoubleFloatPixelData"))


def float_pixels(facts, _):
    data = facts.dicom()
    return "PixelData" not in data and ("FloatPixelData" in data or "DoubleFloatPixelData" in data)


def unlike_pages(facts, _):
    return len({page[:5] for page in facts.pages()}) > 1


def colour_model(facts, said):
    return facts.pages()[0][2] == int(said.group(1)) and int(said.group(1)) not in (0, 1, 2, 3)


def ycbcr(facts, _):
    page = facts.pages()[0]
    return page[2] == 6 and page[4] not in (6, 7)


def old_jpeg(facts, _):
    return facts.pages()[0][4] == 6


def bits_of_tiff(facts, said):
    return facts.pages()[0][3] == int(said.group(1)) and facts.pages()[0][3] not in (1, 2, 4, 8, 16, 32, 64)


def samples_of_palette(facts, said):
    page = facts.pages()[0]
    return page[2] == 3 and page[5] == int(said.group(1)) and page[5] != 1


def bmp_compression(facts, said):
    return struct.unpack_from("<I", facts.head, 30)[0] == int(said.group(1)) and int(said.group(1)) not in (0, 3, 6)


def bmp_bits(facts, said):
    return struct.unpack_from("<H", facts.head, 28)[0] == int(said.group(1)) and int(said.group(1)) not in (1, 4, 8, 16, 24, 32) or int(said.group(2)) not in (0, 3, 6)


def bmp_header(facts, said):
    size = struct.unpack_from("<I", facts.head, 14)[0]
    return facts.head[:2] == b"BM" and size == int(said.group(1)) and size != 12 and not 40 <= size <= 124


def four_colours(facts, said):
    with Image.open(facts.path) as image:
        return len(image.getbands()) == int(said.group(1)) == 4


def file_gone(facts, said):
    return not os.path.exists(os.path.join(os.path.dirname(facts.path), said.group(1)))


def several_datasets(facts, said):
    found = []
    with h5py.File(facts.path) as file:
        file.visititems(lambda name, what: found.append(name) if isinstance(what, h5py.Dataset) and what.dtype.kind in "iufcb" else None)
    return len(found) == int(said.group(1)) > 1


def variables(facts):
    """A MATLAB file's variables of numbers, by SciPy."""
    found = scipy.io.loadmat(facts.path, squeeze_me=False)
    return [name for name, value in found.items() if isinstance(value, numpy.ndarray) and value.dtype.kind in "iufcb" and not value.dtype.fields and not name.startswith("__")]


def several_variables(facts, said):
    return len(variables(facts)) == int(said.group(1)) > 1


def no_variable(facts, _):
    return not variables(facts)


def type_of_numpy(facts, said):
    array = numpy.load(facts.path, allow_pickle=True, encoding="bytes")
    return array.dtype == numpy.dtype(said.group(1)) and (array.dtype.kind not in "iufcb" or array.dtype.itemsize > 8)


def arrays_of_zip(facts, said):
    with zipfile.ZipFile(facts.path) as archive:
        return len(archive.namelist()) == int(said.group(1))


def type_of_zipped(facts, said):
    with numpy.load(facts.path, allow_pickle=True, encoding="bytes") as arrays:
        return any(arrays[name].dtype == numpy.dtype(said.group(1)) for name in arrays.files) and said.group(1)[1] not in "iufcb"


def no_dataset(facts, _):
    found = []
    with h5py.File(facts.path) as file:
        file.visititems(lambda name, what: found.append(name) if isinstance(what, h5py.Dataset) and what.dtype.kind in "iufcb" else None)
    return not found


def no_fits_image(facts, _):
    with fits.open(facts.path) as units:
        images = [unit for unit in units if isinstance(unit, (fits.PrimaryHDU, fits.ImageHDU, fits.CompImageHDU)) and not isinstance(unit, fits.GroupsHDU)]
        return not any(unit.header["NAXIS"] and all(unit.header[f"NAXIS{i + 1}"] for i in range(unit.header["NAXIS"])) for unit in images)


def analyze(facts, _):
    return facts.head[:4] in (b"\x5c\1\0\0", b"\0\0\1\x5c") and facts.head[344:348] not in (b"n+1\0", b"ni1\0")


def dimensions(facts, said):
    header = nibabel.Nifti1Header if facts.head[:4] in (b"\x5c\1\0\0", b"\0\0\1\x5c") else nibabel.Nifti2Header
    with open(facts.path, "rb") as file:
        return header.from_fileobj(file)["dim"][0] == int(said.group(1)) > 5


def packed_dicom(facts, _):
    with gzip.open(facts.path) as file:
        return file.read(132)[128:] == b"DICM"


def no_colours(facts, _):
    """Walks the blocks of a GIF: none has a table that holds for one of its frames."""
    with open(facts.path, "rb") as file:
        data = file.read()
    table = data[10] & 128
    at = 13 + (3 << (data[10] & 7) + 1 if table else 0)
    while at < len(data) and data[at] != 0x3B:
        if data[at] == 0x2C and not (table or data[at + 9] & 128):
            return True
        at += 2 if data[at] == 0x21 else 11 + (3 << (data[at + 9] & 7) + 1 if data[at + 9] & 128 else 0)
        while data[at]:
            at += data[at] + 1
        at += 1
    return False


def packed_image(facts, _):
    with fits.open(facts.path) as units:
        return any(isinstance(unit, fits.CompImageHDU) for unit in units)


def damaged(facts, _):
    return not facts.others_read_it()


def colour_beyond(facts, said):
    """A BMP of bytes, one a pixel: Pillow hands them out as they are."""
    with Image.open(facts.path) as image:
        colours = struct.unpack_from("<I", facts.head, 46)[0]
        return image.mode == "P" and int(said.group(2)) == colours and int(said.group(1)) in numpy.unique(numpy.asarray(image)) and int(said.group(1)) >= colours


def element_is_text(facts, said):
    value = str(facts.dicom()[int(said.group(1), 16), int(said.group(2), 16)].value)
    return not re.fullmatch(r" *[+-]?\d+ *", value)


def ended_reader(facts, _):
    return True   # a process ended: which is as said, and the file is not read


def is_named(what):
    def holds(facts, _):
        if facts.pillow in READ_HERE and facts.whole:
            return what in ("PBM", "PFM") and bool(re.match(BEGINNINGS[what], facts.head, re.S))
        return facts.pillow in NAMED.get(what, ()) or bool(re.match(BEGINNINGS[what], facts.head, re.S))

    return holds


# (words, how they are held against the file), the narrow ones first.
RULES = [(r"holds no format that is known", holds_nothing_known), (r"is compressed, and holds no format", packed_and_unknown),
         (r"is a text file|it is a text file", lambda facts, _: facts.is_text() and not facts.others_read_it()), (r"is a DICOM file without a picture", no_picture),
         (r"no pixels that are integers", float_pixels), (r"is a DICOM file of (\d+) samples a pixel", lambda facts, said: facts.dicom().SamplesPerPixel == int(said.group(1)) and int(said.group(1)) not in (1, 3)),
         (r"is a DICOM file of (\d+) bits a pixel", lambda facts, said: facts.dicom().BitsAllocated == int(said.group(1)) and int(said.group(1)) not in (1, 8, 16, 32)),
         (r"its page \d+ has .* its (?:page|first)", unlike_pages), (r"colour model (\d+)", colour_model), (r"YCbCr colours without JPEG", ycbcr), (r"JPEG as TIFF had it before", old_jpeg),
         (r"has \d+ (\d+)-bit \w+ samples? a pixel", bits_of_tiff), (r"a palette with (\d+) samples", samples_of_palette), (r"compressed BMP \(method (\d+)\)", bmp_compression),
         (r"has (\d+) bits a pixel \(method (\d+)\)", bmp_bits), (r"BMP header of (\d+) bytes", bmp_header), (r"JPEG of (\d+) channels", four_colours),
         (r'names the file "([^"]*)" for its elements: there is no such file', file_gone), (r"holds (\d+) datasets of numbers", several_datasets), (r"not its magic word", analyze),
         (r"has (\d+) dimensions", dimensions), (r"gzip-compressed dicom", packed_dicom), (r"image is compressed", packed_image), (r"no table of colours", no_colours),
         (r"holds (\d+) variables of numbers", several_variables), (r"holds no variable of numbers", no_variable), (r"holds no dataset of numbers", no_dataset), (r"no variable that has a name", damaged),
         (r"holds (\d+) arrays", arrays_of_zip), (r"is a FITS file without an image", no_fits_image),
         (r'NumPy\'s type "([^"]+)"', lambda facts, said: (type_of_zipped if facts.head[:2] == b"PK" else type_of_numpy)(facts, said)),
         (r"what reads it ended with signal", ended_reader), *((re.escape(what), is_named(what)) for what in BEGINNINGS),
         (r"a pixel of colour (\d+) in a palette of (\d+)", colour_beyond), (r"its element \(([0-9a-f]{4}),([0-9a-f]{4})\) is text", element_is_text),
         (r"damaged|other pixels than its header says|cut off|ends inside|ends after|past the end|cannot come out of|its name is wrong|write or copy the file again|a GIF of no pixels|has a palette of", damaged)]


def fault_of(path, why):
    """Empty where the words are true."""
    text = why.split(os.path.basename(path))[-1]
    with little_memory():
        facts = Facts(path)
        for words, holds in RULES:
            said = re.search(words, text)
            if not said:
                continue
            try:
                return "" if holds(facts, said) else f"not true of it ({words!r}, and Pillow says {facts.pillow or 'nothing'}{', whole' if facts.whole else ''})"
            except Exception as error:
                return f"cannot be told to be true ({words!r}): {error!r}"
    return "the words were not expected"
